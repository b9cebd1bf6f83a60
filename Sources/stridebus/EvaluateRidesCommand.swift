import ArgumentParser
import Console
import Evaluation

/// How well the counter counts bikes with a sensor on the frame, which only simulation knows the truth of.
struct EvaluateRidesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate-rides",
        abstract: "Count simulated rides with a sensor on the bike's frame, and say how well.",
        discussion: """
            Rides differ in how much more the frame shakes at twice the crank's rate than at the crank's own, and in how \
            loud everything else is. Seconds within four of a stop or a start are not compared, revolutions are. A ride \
            is wrong by an octave if a tenth of its seconds is.
            """)

    @Option(help: "How many rides under each of the conditions.")
    var rides = 8

    @Option(help: "The seed of the first ride.")
    var seed: UInt64 = 1

    @Option(help: "How long a ride is, in seconds.")
    var seconds = 300

    func validate() throws {
        guard (1...10_000).contains(rides) else { throw ValidationError("--rides must be 1 to 10000") }
        guard (60...36_000).contains(seconds) else { throw ValidationError("--seconds must be 60 to 36000") }
        guard seed <= UInt64.max - UInt64(rides) else { throw ValidationError("--seed is too large for --rides") }
    }

    func run() throws {
        let evaluator = RideEvaluator(seconds: seconds)
        var progress = ProgressLine(total: RideConditions.all.count * rides)
        let results = try RideConditions.all.flatMap { conditions in
            try (0..<UInt64(rides)).map { number in
                progress.show("ride \(seed + number)")
                return try evaluator.result(conditions, seed: seed + number)
            }
        }
        progress.clear()
        let report = RideReport(rides: results)
        for line in report.tableLines + [""] + report.confidenceLines { Output.line(line) }
    }
}
