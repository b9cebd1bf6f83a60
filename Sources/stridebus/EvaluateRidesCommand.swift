import ArgumentParser
import Lab

/// How well the counter counts simulated rides: with a sensor on the frame, which only simulation knows the truth of,
/// or worn.
struct EvaluateRidesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate-rides",
        abstract: "Count simulated rides, and say how well.",
        discussion: """
            On the frame, rides differ in how much more it shakes at twice the crank's rate than at the crank's own, and in \
            how loud everything else is; worn, in the cadence. Seconds within four of a stop or a start are not compared, \
            revolutions are. A ride is wrong by an octave if a tenth of its seconds is.
            """)

    @Option(help: "How many rides under each of the conditions.")
    var rides = 8

    @Option(help: "How long a ride is, in seconds.")
    var seconds = 300

    @Option(
        help: "Where the sensor is: frame, wrist, pocket, thigh or ankle.",
        transform: { try SimulatedPlacement.parse($0, oneOf: RideConditions.placements) })
    var placement = SimulatedPlacement.frame

    @OptionGroup var simulation: SimulationOptions

    func validate() throws {
        guard (120...36_000).contains(seconds) else { throw ValidationError("--seconds must be 120 to 36000") }
    }

    func run() throws {
        let rides = try simulation.results(of: RideConditions.all(on: placement), count: rides) { conditions, seed in
            try SimulatedTrial(conditions, placement, seconds: seconds, device: simulation.device, seed: seed)
        }
        let table = TrialTable(rides: rides)
        for line in table.lines + [""] + table.confidenceLines { Output.line(line) }
    }
}
