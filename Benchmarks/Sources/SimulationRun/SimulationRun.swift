import ArgumentParser
import Foundation
import Simulation

/// Runs the three services under one seeded clock, with crashes between any two steps, for many seeds.
@main
struct SimulationRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulation", abstract: "Run the simulated system for many seeds, or for one again.")

    @Option(help: "How many seeds, from the first on.")
    var seeds = 3_000

    @Option(help: "The first seed.")
    var first: UInt64 = 1

    @Option(help: "Only this seed, as a failure names it.")
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "The code broken on purpose: one of \(Mutant.allCases.map(\.rawValue).joined(separator: ", "))."))
    var mutant: Mutant?

    @Option(
        help: ArgumentHelp(
            "A sender in every run: one of \(SenderKind.guests.map(\.rawValue).joined(separator: ", "))."))
    var guest: SenderKind?

    @Option(help: ArgumentHelp("Write the numbers to a file, as JSON.", valueName: "path"))
    var json: String?

    func validate() throws {
        guard seeds > 0 else { throw ValidationError("--seeds must be at least 1") }
        guard first <= UInt64.max - UInt64(seeds) else { throw ValidationError("--first is too large for --seeds") }
    }

    func run() async throws {
        let seeds = seed.map { [$0] } ?? Array(first..<first + UInt64(seeds))
        let begin = ContinuousClock.now
        let tally = SimulationTally(total: seeds.count)
        let cores = ProcessInfo.processInfo.activeProcessorCount
        await withTaskGroup(of: Void.self) { group in
            for core in 0..<cores {
                group.addTask {
                    for index in stride(from: core, to: seeds.count, by: cores) {
                        await tally.run(seed: seeds[index], mutant: mutant, guest: guest)
                    }
                }
            }
        }
        let (summary, failures) = tally.result
        for failure in failures { print(failure) }
        let elapsed = (ContinuousClock.now - begin).components.seconds
        print(
            """
            \(failures.isEmpty ? "holds " : "BROKEN")  \(seeds.count) seeds, \(failures.count) failed: \
            \(summary.sent) messages, \(summary.lost) lost by the broker and named, \(summary.crashes) crashes of \
            services, \(summary.brokerCrashes) of the broker, \(elapsed) s
            """)
        if let json { try write(summary, seeds: seeds.count, failures: failures, to: json) }
        guard failures.isEmpty else { throw ExitCode.failure }
    }

    private func write(_ summary: SimulationSummary, seeds: Int, failures: [String], to path: String) throws {
        let numbers: [String: Any] = [
            "seeds": seeds, "failures": failures, "messages": summary.sent, "lost_and_named": summary.lost,
            "service_crashes": summary.crashes, "broker_crashes": summary.brokerCrashes,
        ]
        let bytes = try JSONSerialization.data(withJSONObject: numbers, options: [.prettyPrinted, .sortedKeys])
        try bytes.write(to: URL(fileURLWithPath: path))
    }
}

extension Mutant: ExpressibleByArgument {}
extension SenderKind: ExpressibleByArgument {}
