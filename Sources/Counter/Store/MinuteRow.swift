import GRDB
import Wire

extension MinuteIncrement {
    /// The values of `CounterSchema.sums`.
    var sums: [Int64] {
        [
            steps, revolutions, distanceMicrometres, activeMilliseconds, coveredMicroseconds, cadenceMilliIntegral,
            cadenceMilliseconds,
        ] + (0..<ActivityKind.allCases.count).map { activityMilliseconds[$0] }
    }
}

extension MinuteTotals {
    /// A row of `minutes` in the units of the bus; sums outside their range are cut to it.
    init?(row: Row) {
        guard let device = try? DeviceID(row["device"] as String) else { return nil }
        self.init(
            device: device, minute: row["minute"], epoch: UInt64(bitPattern: row["epoch"] as Int64),
            revision: UInt64(bitPattern: row["revision"] as Int64))
        steps = UInt32(clamping: row["steps"] as Int64)
        revolutions = UInt32(clamping: row["revolutions"] as Int64)
        distanceMillimetres = UInt32(clamping: (row["distance_um"] as Int64) / 1000)
        activeMilliseconds = UInt32(clamping: row["active_ms"] as Int64)
        coveredMilliseconds = UInt32(clamping: (row["covered_us"] as Int64) / 1000)
        cadenceIntegral = Float(Double(row["cadence_milli"] as Int64) / 1000)
        cadenceSeconds = UInt32(clamping: ((row["cadence_ms"] as Int64) + 500) / 1000)
        cadenceMinimum = Float(row["cadence_min"] as Double)
        cadenceMaximum = Float(row["cadence_max"] as Double)
        activityMilliseconds = ActivityKind.allCases.map { UInt32(clamping: row["\($0.name)_ms"] as Int64) }
    }
}
