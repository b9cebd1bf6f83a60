import Foundation
import Simulation

/// The sum over runs on several threads.
final class SimulationTally: @unchecked Sendable {
    // Unchecked because every access to what changes holds the lock.
    private let lock = NSLock()
    private var summary = SimulationSummary()
    private var failures: [String] = []
    private var finished = 0
    private let total: Int
    private static let progressSteps = 1_000

    init(total: Int) {
        self.total = total
    }

    /// Runs a seed and adds what came of it.
    func run(seed: UInt64, mutant: Mutant?, guest: SenderKind?) async {
        let result: Result<SimulationSummary, any Error>
        do {
            var simulation = try Simulation(seed: seed, mutant: mutant, guest: guest)
            result = .success(try await simulation.run())
        } catch { result = .failure(error) }
        lock.withLock {
            switch result {
            case .success(let one): summary.add(one)
            case .failure(let failure): failures.append("\(failure)")
            }
            finished += 1
            if finished % Self.progressSteps == 0, finished < total { tell("\(finished) of \(total) seeds") }
        }
    }

    /// At once, and apart from the result, which may go to a file.
    private func tell(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }

    /// All that came of the runs.
    var result: (SimulationSummary, [String]) { lock.withLock { (summary, failures) } }
}
