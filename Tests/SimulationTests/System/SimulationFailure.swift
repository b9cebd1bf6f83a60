/// What was wrong in a run, and how to see it again.
struct SimulationFailure: Error, CustomStringConvertible {
    let seed: UInt64
    let mutant: Mutant?
    let problem: String

    var description: String {
        let name = mutant.map { " with the mutant \($0.rawValue)" } ?? ""
        return "seed \(seed)\(name): \(problem); again: STRIDEBUS_SEED=\(seed) swift test --filter SimulationTests"
    }
}

/// What happened in a run that went well.
struct SimulationSummary {
    var sent = 0
    var lost = 0
    var crashes = 0
    var brokerCrashes = 0
    /// Devices whose frames came in another order than they were sent, because the broker gave back an older one.
    var reordered = 0

    mutating func add(_ other: SimulationSummary) {
        sent += other.sent
        lost += other.lost
        crashes += other.crashes
        brokerCrashes += other.brokerCrashes
        reordered += other.reordered
    }
}
