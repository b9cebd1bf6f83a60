/// A second of a simulation in whose neighbourhood nobody stopped or started: the true cadence, and what was told of it.
struct SettledSecond: Sendable {
    /// The longest time between two steps, or two revolutions of a crank, of who is still moving, in microseconds.
    private static let longestIntervalMicroseconds: Int64 = 4_000_000
    /// What a stop or a start may take until it is told, in seconds: those next to one are not compared.
    private static let settleSeconds = 4

    /// Steps or revolutions a minute; 0 while none are made.
    let cadence: Double
    /// What was told when it could be.
    let told: CountSecond

    /// Those of a simulation that lasted so long.
    static func all(of count: SimulatedCount, seconds: Int) -> [SettledSecond] {
        let truth = cadence(count.eventMicroseconds, seconds: seconds)
        let delay = Int(CadenceError.reportDelaySeconds)
        return count.seconds.enumerated().compactMap { second, told in
            settled(truth, at: second - delay).map { SettledSecond(cadence: $0, told: told) }
        }
    }

    /// The true cadence of each second, from the times at which steps or revolutions were complete.
    static func cadence(_ events: [Int64], seconds: Int) -> [Double] {
        var cadence = [Double](repeating: 0, count: seconds)
        for (from, to) in zip(events, events.dropFirst()) where to > from && to - from <= longestIntervalMicroseconds {
            let perMinute = 60e6 / Double(to - from)
            for second in Int(from / 1_000_000)...Int(to / 1_000_000) where cadence.indices.contains(second) {
                cadence[second] = perMinute
            }
        }
        return cadence
    }

    /// The cadence of a second; nil where a stop or a start is near.
    private static func settled(_ cadence: [Double], at second: Int) -> Double? {
        let about = second - settleSeconds...second + settleSeconds
        guard cadence.indices.contains(about.lowerBound), cadence.indices.contains(about.upperBound) else { return nil }
        let isMoving = cadence[second] > 0
        return cadence[about].allSatisfy { ($0 > 0) == isMoving } ? cadence[second] : nil
    }
}
