import Wire

/// A minute in which a crank was turned or steps were made.
package struct MovingMinute: Sendable, Equatable {
    let minute: Int64
    /// Whether a crank was turned more than steps were made.
    let isOfCrank: Bool
    let activeMilliseconds: Int64
    /// A bit for each second that is known to have a cadence; 0 where none is.
    let bits: UInt64

    /// `nil` for a minute at rest.
    package init?(_ minute: TracedMinute) {
        let counts = minute.sum.counts
        guard counts.steps > 0 || counts.revolutions > 0 else { return nil }
        self.minute = minute.minute
        isOfCrank = counts.revolutions > counts.steps
        activeMilliseconds = counts.activeMilliseconds
        let trace = minute.trace
        bits = (0..<Trace.seconds).reduce(0) { bits, second in
            trace?[.cadence, second] ?? 0 > 0 ? bits | 1 << UInt64(second) : bits
        }
    }

    /// The seconds of movement of one of some minutes: as its trace knows them, else as many as it was active, at its end
    /// where movement begins in it and at its beginning else.
    static func ranges(of minutes: [MovingMinute], at index: Int) -> [Range<Int64>] {
        let minute = minutes[index]
        let start = minute.minute * 60
        guard minute.bits == 0 else {
            let moving = RangeSet((0..<Int64(60)).filter { minute.bits >> UInt64($0) & 1 == 1 }.map { $0..<$0 + 1 })
            return moving.ranges.map { start + $0.lowerBound..<start + $0.upperBound }
        }
        // What counts by itself may not say for how long.
        let active = minute.activeMilliseconds
        let count = active > 0 ? min(60, (active + 999) / 1000) : 60
        let isAfter = index > 0 && minutes[index - 1].minute == minute.minute - 1
        let isBefore = index + 1 < minutes.count && minutes[index + 1].minute == minute.minute + 1
        return [isBefore && !isAfter ? start + 60 - count..<start + 60 : start..<start + count]
    }
}

/// Seconds without a pause in which a crank was turned or steps were made.
package struct Movement: Sendable, Hashable {
    /// Since 1970.
    package var seconds: Range<Int64>
    package var isOfCrank: Bool

    package init(_ seconds: Range<Int64>, isOfCrank: Bool) {
        (self.seconds, self.isOfCrank) = (seconds, isOfCrank)
    }

    /// What is shorter is no pause.
    package static let shortestPauseSeconds: Int64 = 10
    /// What is shorter, between pauses, is none: a few steps to the window.
    package static let shortestSeconds: Int64 = 20

    /// The movement of some minutes, which are in order.
    package static func all(in minutes: [MovingMinute]) -> [Movement] {
        var all: [Movement] = []
        for (index, minute) in minutes.enumerated() {
            for seconds in MovingMinute.ranges(of: minutes, at: index) {
                guard let last = all.last, last.isOfCrank == minute.isOfCrank,
                    seconds.lowerBound - last.seconds.upperBound < shortestPauseSeconds
                else {
                    all.append(Movement(seconds, isOfCrank: minute.isOfCrank))
                    continue
                }
                all[all.count - 1].seconds = last.seconds.lowerBound..<seconds.upperBound
            }
        }
        return all.filter { $0.seconds.count >= shortestSeconds }
    }
}
