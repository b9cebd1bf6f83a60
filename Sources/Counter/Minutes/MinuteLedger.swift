import Wire

/// The increments of one device since the last commit.
struct MinuteLedger: Sendable {
    typealias Origin = MinuteIncrement.Origin

    private let device: DeviceID
    /// One increment a minute and origin, in the order of their first change.
    private(set) var increments: [MinuteIncrement] = []

    init(device: DeviceID) {
        self.device = device
    }

    /// Changes the increment of the minute of a time.
    mutating func change(
        at microseconds: Int64, by origin: Origin = .samples, _ body: (inout MinuteIncrement) -> Void
    ) {
        change(minute: MinuteIncrement.minute(of: microseconds), origin, body)
    }

    /// Adds a stretch of time with samples, minute by minute.
    mutating func cover(from start: Int64, to end: Int64, by origin: Origin = .samples) {
        forEachMinute(from: start, to: end) { minute, microseconds in
            change(minute: minute, origin) { $0.coveredMicroseconds += microseconds }
        }
    }

    /// Spreads a whole number evenly over a stretch of time, so that the parts add up to it exactly. A stretch of no
    /// length, or longer than a day, gives all to its end.
    mutating func spread(
        _ amount: Int64, from start: Int64, to end: Int64, by origin: Origin,
        _ body: (inout MinuteIncrement, Int64) -> Void
    ) {
        let length = end.subtractingReportingOverflow(start).partialValue
        guard length > 0, length <= ClockLimits.bridgeMicroseconds, amount.magnitude < 1 << 26 else {
            return change(at: end, by: origin) { body(&$0, amount) }
        }
        var given: Int64 = 0
        var passed: Int64 = 0
        forEachMinute(from: start, to: end) { minute, microseconds in
            passed += microseconds
            let due = amount * passed / length
            let share = due - given
            given = due
            if share != 0 { change(minute: minute, origin) { body(&$0, share) } }
        }
    }

    /// Adds an increment to that of its minute.
    mutating func add(_ increment: MinuteIncrement) {
        change(minute: increment.minute, increment.origin) { $0.add(increment) }
    }

    /// Forgets the increments, which have been taken into a commit.
    mutating func removeAll() {
        increments.removeAll(keepingCapacity: true)
    }

    private mutating func change(minute: Int64, _ origin: Origin, _ body: (inout MinuteIncrement) -> Void) {
        if let index = increments.lastIndex(where: { $0.minute == minute && $0.origin == origin }) {
            return body(&increments[index])
        }
        var increment = MinuteIncrement(device: device, minute: minute, origin: origin)
        body(&increment)
        increments.append(increment)
    }

    private func forEachMinute(from start: Int64, to end: Int64, _ body: (Int64, Int64) -> Void) {
        var position = start
        while position < end {
            let minute = MinuteIncrement.minute(of: position)
            let stop = min(end, (minute + 1) * MinuteIncrement.minuteMicroseconds)
            body(minute, stop - position)
            position = stop
        }
    }
}
