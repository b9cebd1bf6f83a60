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

/// The code broken on purpose: each of these the simulation must notice.
package enum Mutant: String, CaseIterable {
    /// Ingest acknowledges device messages before the broker has the motion batch.
    case ingestAcknowledgesFirst
    /// The counter acknowledges motion before it is in the log.
    case counterAcknowledgesFirst
    /// The counter acknowledges motion that is in the log and not on the disk.
    case acknowledgesBeforeSync
    /// The store says that it holds what is in the log and not counted.
    case positionBeforeCount
    /// The store says that it holds all that any of its states follows from.
    case positionOfNewest
    /// A start does not know which minutes the store has already.
    case rowsCountedTwice
    /// The log lets go of what is not stored yet.
    case trimsBeforeStored
    /// The counter takes every record for a new one.
    case noIdentityCheck
    /// The counter keeps states and rows in two transactions.
    case tornCommit
    /// The counter sends what was added since the last message, and history adds it up.
    case differences
    /// The counter notes rows as sent before the broker has taken them.
    case cursorBeforeConfirmation
    /// History acknowledges rows before its commit, and never asks for any again.
    case historyAcknowledgesFirst
    /// History never asks for rows that it missed.
    case noResends
    /// History keeps the row that came last.
    case newestArrivalWins
    /// The counter ends at a count that no counter shows, which is in its log then: at each start again.
    case endsAtHugeCount
    /// The counter leaves a batch at a record that it cannot read, with all that is behind it.
    case recordSpoilsBatch
    /// The counter keeps the first word of a stretch of time, whatever is said of it later.
    case firstWordStays
    /// The counter takes a repeat of a frame without a number for a new one, where many came between.
    case forgetsUnnumbered
    /// History does not know of time a week ago that samples cover it, when words claim it.
    case forgetsOldCoverage
    /// Who forgets a person takes days of which there are no minutes off the devices twice.
    case takesDaysOffTwice
    /// A config that is taken back makes its device known.
    case emptiedConfigMakesKnown
    /// History acknowledges marks of workouts and keeps none.
    case forgetsMarks
    /// History does not tell the counter what is erased.
    case keepsErasuresToItself
}
