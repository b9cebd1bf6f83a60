import Wire

/// The heart rate and the power that a device's sensor tells, and when they were told live.
struct DeviceReadings: Sendable {
    /// A reading is known for the time since the one before it, at most this long, in microseconds: sensors tell theirs
    /// once a second, and those that do so seldom tell a moment.
    static let holdMicroseconds: Int64 = 5_000_000
    /// The least time between two live reports, in microseconds: half a second less than their period, so that readings
    /// that come a little early are not left out.
    static let reportMicroseconds: Int64 = 500_000

    private var heart = Latest()
    private var power = Latest()

    private struct Latest: Sendable {
        var time = Int64.min
        var reportedAt = Int64.min
        /// The report that is due. Not part of the state.
        var report: (time: Int64, value: Float)?
    }

    /// Whether the sensor has told any power above 0 W yet.
    var hasPower: Bool { power.time > .min }

    /// Takes a reading at a time.
    ///
    /// - Returns: the seconds since 1970 in which it is known.
    mutating func take(_ kind: Reading.Kind, _ value: Float, at time: Int64) -> ClosedRange<Int64> {
        kind == .heart ? Self.take(value, at: time, &heart) : Self.take(value, at: time, &power)
    }

    private static func take(_ value: Float, at time: Int64, _ latest: inout Latest) -> ClosedRange<Int64> {
        let second = time / 1_000_000
        guard time > latest.time else { return second...second }
        let known = latest.time
        latest.time = time
        if time - reportMicroseconds >= latest.reportedAt {
            latest.reportedAt = time
            latest.report = (time, value)
        }
        guard known > .min else { return second...second }
        return min(second, max(known, time - holdMicroseconds) / 1_000_000 + 1)...second
    }

    mutating func drain(_ device: DeviceID, into outputs: inout [LiveOutput]) {
        if let report = heart.report {
            let payload = HeartReport { ($0.t, $0.bpm) = (LiveReports.seconds(report.time), Double(report.value)) }
            outputs.append(LiveOutput(device: device, payload: .heart(payload)))
        }
        if let report = power.report {
            let payload = PowerReport { ($0.t, $0.watts) = (LiveReports.seconds(report.time), Double(report.value)) }
            outputs.append(LiveOutput(device: device, payload: .power(payload)))
        }
        (heart.report, power.report) = (nil, nil)
    }

    mutating func transfer(_ coder: inout ByteCoder) {
        for latest in [\Self.heart, \Self.power] {
            coder.code(&self[keyPath: latest].time, orNone: .min)
            coder.code(&self[keyPath: latest].reportedAt, orNone: .min)
        }
    }
}

extension DeviceCounter {
    /// Takes a reading. The same heart rate or power again changes nothing.
    mutating func accept(_ reading: Reading, arrival: Int64) {
        guard reading.kind.range.contains(reading.value) else {
            sequence.counts.accepted &+= 1
            return health.refuse(reading.kind.refusal, count: 1)
        }
        let time = ownTime(reading.time, arrival: arrival) ?? arrival
        guard reading.kind != .cadence else { return accept(cadence: reading, at: time) }
        sequence.counts.accepted &+= 1
        let value = max(0, reading.value)
        // A runner's pod at rest says the same as a power meter at rest: no power is known before the first.
        guard value > 0 || readings.hasPower else { return }
        let seconds = readings.take(reading.kind, value, at: time)
        ledger.note(reading.kind, value, seconds: seconds)
    }
}
