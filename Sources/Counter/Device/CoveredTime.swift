import Motion
import Wire

/// The time of frames that have no number, by the device's own clock: one that lies in it was counted before, however many
/// came since.
///
/// A clock that was set back goes through the same time once more, at the pace of arrivals. A broker delivers again as fast
/// as it can.
struct CoveredTime: Sendable, Equatable {
    /// The most stretches that are remembered. The shortest gap is closed where there would be more.
    static let maximumStretches = 64
    /// Frames of one sample lie no further apart where they follow each other, in microseconds.
    static let sampleGapMicroseconds: Int64 = 100_000

    private var covered = RangeSet<Int64>()
    /// The first of the frames in a row that lie in covered time: its time and its arrival.
    private var again: Again?

    private struct Again: Sendable, Equatable {
        var time: Int64 = 0
        var arrival: Int64 = 0
    }

    /// Takes the time of a frame; false where the frame lies in time that was covered before.
    mutating func take(_ start: Int64, duration: Int64, arrival: Int64) -> Bool {
        let isOlder = covered.ranges.last.map { start < $0.upperBound - duration - ClockLimits.jitterMicroseconds }
        if isOlder ?? false, covered.contains(start + duration / 2) {
            guard isSetBack(start, arrival: arrival) else { return false }
            covered.remove(contentsOf: start..<Int64.max)
        }
        again = nil
        insert(start, duration: duration)
        return true
    }

    /// Whether the device's clock was set back: frames in covered time have come as fast as their times advance.
    private mutating func isSetBack(_ start: Int64, arrival: Int64) -> Bool {
        guard let first = again, start >= first.time, arrival >= first.arrival else {
            again = Again(time: start, arrival: arrival)
            return false
        }
        let elapsed = arrival - first.arrival
        return elapsed >= ClockLimits.confirmationMicroseconds && start - first.time <= elapsed * 3 / 2
    }

    private mutating func insert(_ start: Int64, duration: Int64) {
        let end = start + max(duration, 1)
        let gap = duration > 0 ? duration / 2 : Self.sampleGapMicroseconds
        let before = covered.ranges.last { $0.lowerBound <= start }
        let follows = before.map { start - $0.upperBound <= gap } ?? false
        covered.insert(contentsOf: min(start, follows ? before?.upperBound ?? start : start)..<end)
        guard covered.ranges.count > Self.maximumStretches else { return }
        let gaps = zip(covered.ranges, covered.ranges.dropFirst()).map { $0.upperBound..<$1.lowerBound }
        if let shortest = gaps.min(by: { $0.count < $1.count }) { covered.insert(contentsOf: shortest) }
    }

    mutating func transfer(_ coder: inout ByteCoder) {
        coder.code(&covered, maximum: Self.maximumStretches)
        coder.code(optional: &again, empty: Again()) {
            $0.code(&$1.time)
            $0.code(&$1.arrival)
        }
    }
}
