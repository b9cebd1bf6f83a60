/// What was wrong in a run, and how to see it again.
package struct SimulationFailure: Error, CustomStringConvertible {
    let seed: UInt64
    let mutant: Mutant?
    let problem: String

    package var description: String {
        let name = mutant.map { " with the mutant \($0.rawValue)" } ?? ""
        return "seed \(seed)\(name): \(problem); again: simulation --seed \(seed)"
    }
}

/// What happened in a run that went well.
package struct SimulationSummary {
    /// Messages that devices sent.
    package var sent = 0
    /// Messages that the broker lost by itself, each of which was named.
    package var lost = 0
    /// Ends of services.
    package var crashes = 0
    /// Ends of the broker.
    package var brokerCrashes = 0
    /// Devices whose frames came in another order than they were sent, because the broker gave back an older one.
    package var reordered = 0

    /// No run yet.
    package init() {}

    /// Adds the numbers of another run.
    package mutating func add(_ other: SimulationSummary) {
        sent += other.sent
        lost += other.lost
        crashes += other.crashes
        brokerCrashes += other.brokerCrashes
        reordered += other.reordered
    }
}
