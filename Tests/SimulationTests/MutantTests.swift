import Testing

/// A simulation that finds nothing has to show that it would.
@Suite("Broken on purpose")
struct MutantTests {
    /// The runs within which each has to be noticed.
    static let seeds: ClosedRange<UInt64> = 1...400

    @Test("The simulation notices", arguments: Mutant.allCases)
    func noticed(mutant: Mutant) throws {
        for seed in Self.seeds {
            var simulation = try Simulation(seed: seed, mutant: mutant)
            do {
                _ = try simulation.run()
            } catch let failure as SimulationFailure {
                print("noticed: \(failure)")
                return
            }
        }
        Issue.record("\(mutant) passed \(Self.seeds.count) runs")
    }
}
