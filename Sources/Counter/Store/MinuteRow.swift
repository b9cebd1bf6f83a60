import GRDB
package import Wire

extension MinuteIncrement {
    /// The values of `CounterSchema.sums`.
    var sums: [Int64] {
        [
            steps, revolutions, distanceMicrometres, activeMilliseconds, coveredMicroseconds, cadenceMilliIntegral,
            cadenceMilliseconds,
        ] + (0..<ActivityKind.allCases.count).map { activityMilliseconds[$0] }
            + [floorsAscended, floorsDescended, pressures]
    }

    /// The values of `cadence_min` and `cadence_max`.
    var range: [any DatabaseValueConvertible] { [Double(cadenceMinimum), Double(cadenceMaximum)] }
}

extension MinuteIncrement {
    /// What a row of `CounterSchema.rowsAfter` sums up: what was counted, or what the device told.
    init(row: Row, device: DeviceID, origin: Origin) {
        let prefix = origin == .device ? "told_" : ""
        func sum(_ name: String) -> Int64 { row["\(prefix)\(name)"] ?? 0 }
        self.init(device: device, minute: row["minute"], origin: origin)
        steps = sum("steps")
        revolutions = sum("revolutions")
        distanceMicrometres = sum("distance_um")
        activeMilliseconds = sum("active_ms")
        coveredMicroseconds = sum("covered_us")
        cadenceMilliIntegral = sum("cadence_milli")
        cadenceMilliseconds = sum("cadence_ms")
        cadenceMinimum = Float(row["\(prefix)cadence_min"] ?? 0.0)
        cadenceMaximum = Float(row["\(prefix)cadence_max"] ?? 0.0)
        activityMilliseconds = ActivityKind.allCases.map { sum("\($0.name)_ms") }
        floorsAscended = sum("floors_up")
        floorsDescended = sum("floors_down")
        pressures = sum("pressures")
    }
}

extension MinuteTotals {
    /// A row of `CounterSchema.rowsAfter` in the units of the bus.
    init?(row: Row) {
        guard let device = try? DeviceID(row["device"] as String) else { return nil }
        let counted = MinuteIncrement(row: row, device: device, origin: .samples)
        self.init(
            counted.filled(with: MinuteIncrement(row: row, device: device, origin: .device)),
            epoch: UInt64(bitPattern: row["epoch"] as Int64), revision: UInt64(bitPattern: row["revision"] as Int64))
    }

    /// The sums of a minute in the units of the bus; those outside their range are cut to it.
    package init(_ sum: MinuteIncrement, epoch: UInt64, revision: UInt64) {
        self.init(device: sum.device, minute: sum.minute, epoch: epoch, revision: revision)
        steps = UInt32(clamping: sum.steps)
        revolutions = UInt32(clamping: sum.revolutions)
        distanceMillimetres = UInt32(clamping: sum.distanceMicrometres / 1000)
        activeMilliseconds = UInt32(clamping: sum.activeMilliseconds)
        coveredMilliseconds = UInt32(clamping: sum.coveredMicroseconds / 1000)
        cadenceIntegral = Float(Double(sum.cadenceMilliIntegral) / 1000)
        cadenceSeconds = UInt32(clamping: (sum.cadenceMilliseconds + 500) / 1000)
        cadenceMinimum = sum.cadenceMinimum
        cadenceMaximum = sum.cadenceMaximum
        activityMilliseconds = sum.activityMilliseconds.map { UInt32(clamping: $0) }
        guard sum.pressures > 0 || sum.floorsAscended > 0 || sum.floorsDescended > 0 else { return }
        floors = FloorCounts(
            ascended: UInt64(clamping: sum.floorsAscended), descended: UInt64(clamping: sum.floorsDescended))
    }
}
