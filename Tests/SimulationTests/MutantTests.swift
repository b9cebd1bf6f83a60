import Testing

@testable import Simulation

extension SimulationTests {
    /// A simulation that finds nothing has to show that it would.
    @Suite("Broken on purpose")
    struct MutantTests {
        /// How many runs may pass before one shows the fault: ample, because a change of what is simulated moves the seeds.
        static let maximumRuns: UInt64 = 5_000

        @Test("The simulation notices", arguments: Mutant.allCases)
        func noticed(mutant: Mutant) async throws {
            for seed in Self.firstSeed(of: mutant)..<Self.firstSeed(of: mutant) + Self.maximumRuns {
                var simulation = try Simulation(seed: seed, mutant: mutant, guest: Self.guest(of: mutant))
                do {
                    _ = try await simulation.run()
                } catch let failure as SimulationFailure {
                    print("noticed: \(failure)")
                    var whole = try Simulation(seed: seed, guest: Self.guest(of: mutant))
                    await #expect(throws: Never.self, "the same seed passes with the code as it is") {
                        _ = try await whole.run()
                    }
                    return
                }
            }
            Issue.record("\(mutant) passed \(Self.maximumRuns) runs")
        }

        /// The sender that a fault needs to be seen at all.
        private static func guest(of mutant: Mutant) -> SenderKind? {
            switch mutant {
            case .endsAtHugeCount: .extremeCounts
            case .forgetsUnnumbered: .unnumberedAgain
            case .forgetsOldCoverage: .backfill
            case .recordSpoilsBatch: .extremeFrames
            case .firstWordStays: .intervals
            default: nil
            }
        }

        /// Where to begin, so that the first run shows it: what the chain of revisions heals by itself shows in few.
        private static func firstSeed(of mutant: Mutant) -> UInt64 {
            switch mutant {
            case .historyAcknowledgesFirst: 2_895
            case .noResends: 1_845
            case .newestArrivalWins: 243
            case .acknowledgesBeforeSync: 227
            case .emptiedConfigMakesKnown: 24
            case .positionBeforeCount, .tornCommit: 25
            case .forgetsMarks: 14
            default: 1
            }
        }
    }
}
