import Foundation
import Testing

@testable import Simulation

/// Whole runs of the system under faults: `STRIDEBUS_SEEDS` says how many, `STRIDEBUS_SEED` runs one again.
///
/// One after another, because they leave no time to anybody else on the core that they run on.
@Suite("The three services, simulated", .serialized)
struct SimulationTests {
    /// How many runs there are unless told otherwise: a debug build makes few; many are for an optimised one.
    static let usualSeeds = 64
    /// How many runs each kind of sender is in, beside those that draw it.
    static let seedsOfGuest: UInt64 = 4
    /// The runs are shared out to as many tests.
    static let shares = 4

    @Test("Whatever fails, everything is counted once and what the broker loses is named", arguments: 0..<shares)
    func countedOnce(share: Int) async throws {
        var sum = SimulationSummary()
        for seed in Self.seeds where Int(seed % UInt64(Self.shares)) == share {
            var simulation = try Simulation(seed: seed)
            sum.add(try await simulation.run())
        }
        print(
            "simulated share \(share): \(sum.sent) messages, \(sum.lost) lost by the broker and named,",
            "\(sum.crashes) crashes of services, \(sum.brokerCrashes) of the broker, \(sum.reordered) reordered")
    }

    @Test("The same seed is the same run")
    func repeatable() async throws {
        var runs: [[MinuteKey: MinuteNumbers]] = []
        for _ in 0..<2 {
            var simulation = try Simulation(seed: 7)
            _ = try await simulation.run()
            runs.append(try await simulation.core.historyStore.allMinutes())
            #expect(simulation.core.now > Simulation.start)
        }
        #expect(runs[0] == runs[1])
    }

    @Test("Each kind of sender beside others, under a few seeds", arguments: SenderKind.guests)
    func guest(kind: SenderKind) async throws {
        for seed in 1...Self.seedsOfGuest {
            var simulation = try Simulation(seed: seed, guest: kind)
            _ = try await simulation.run()
        }
    }

    private static var seeds: [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let one = environment["STRIDEBUS_SEED"].flatMap({ UInt64($0) }) { return [one] }
        let count = environment["STRIDEBUS_SEEDS"].flatMap { UInt64($0) } ?? UInt64(usualSeeds)
        return Array(1...max(count, 1))
    }
}
