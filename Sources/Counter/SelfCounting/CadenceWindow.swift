/// The last few counts of a crank, over which a cadence is even although messages come out of step with the crank.
struct CadenceWindow: Sendable, Equatable {
    /// The longest time that is looked back, in microseconds.
    static let maximumMicroseconds: Int64 = 5_000_000
    /// The most counts that are kept.
    static let maximumCounts = 16

    private struct Count: Sendable, Equatable {
        var time: Int64 = 0
        var revolutions: Int64 = 0
    }

    private var counts: [Count] = []

    /// Adds the revolutions made since the count before.
    mutating func add(_ revolutions: Int64, at time: Int64) {
        counts.append(Count(time: time, revolutions: revolutions))
        while counts.count > Self.maximumCounts
            || (counts.count > 2 && time - counts[0].time > Self.maximumMicroseconds)
        {
            counts.removeFirst()
        }
    }

    /// Revolutions a minute from the first count to the last; `nil` where no time lies between.
    var rpm: Float? {
        guard let first = counts.first, let last = counts.last, last.time > first.time else { return nil }
        let made = counts.dropFirst().reduce(0) { $0 + $1.revolutions }
        return Float(Double(made) * 60_000_000 / Double(last.time - first.time))
    }

    mutating func transfer(_ coder: inout StateCoder) {
        coder.code(array: &counts, maximum: Self.maximumCounts, empty: Count()) {
            $0.code(&$1.time)
            $0.code(&$1.revolutions)
        }
    }
}
