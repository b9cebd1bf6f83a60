import ArgumentParser
import Lab

/// How well the counter counts simulated walks.
struct EvaluateWalksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate-walks",
        abstract: "Count simulated walks, runs, stairs, limps and drives, and say how well.")

    @Option(help: "How many walks under each of the conditions.")
    var walks = 8

    @Option(help: "How long a walk is, in seconds.")
    var seconds = 120

    @Option(
        help: "Where the sensor is: wrist, hand, hip, bag, pocket, thigh or ankle.",
        transform: { try SimulatedPlacement.parse($0, oneOf: WalkConditions.placements) })
    var placement = SimulatedPlacement.wrist

    @OptionGroup var simulation: SimulationOptions

    func validate() throws {
        guard (60...36_000).contains(seconds) else { throw ValidationError("--seconds must be 60 to 36000") }
    }

    func run() throws {
        let walks = try simulation.results(of: WalkConditions.all(on: placement), count: walks) { conditions, seed in
            try SimulatedTrial(conditions, placement, seconds: seconds, device: simulation.device, seed: seed)
        }
        for line in TrialTable(walks: walks).lines { Output.line(line) }
    }
}
