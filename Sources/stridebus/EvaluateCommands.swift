import ArgumentParser
import Foundation
import Lab
import Wire

struct EvaluateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Count a folder of recordings with truth, and say how well, a group at a time.",
        discussion: """
            The folder holds an index.csv (file, subject, activity, placement, true_steps, rpm_file, …) and the CSV \
            files of 'stridebus count'. Groups are folder × placement × activity and are never pooled. It is the \
            counter's own pipeline, so the services count the same.
            """)

    @Argument(help: "The folder.", completion: .directory)
    var folder: String

    @Flag(help: "Print one JSON object with every group and recording instead of the table.")
    var json = false

    @Option(help: ArgumentHelp("Also write a report in Markdown.", valueName: "file"), completion: .file())
    var markdown: String?

    @Option(help: "The commit that the report names (default: STRIDEBUS_COMMIT in the environment).")
    var commit: String?

    @Option(help: "The date that the report names, YYYY-MM-DD (default: today, UTC).")
    var date: String?

    @Flag(inversion: .prefixedNo, help: "The counter is told what each device is and where it sits.")
    var config = true

    func run() throws {
        let evaluator = try RecordingEvaluator(
            folder: URL(fileURLWithPath: folder, isDirectory: true), isConfigured: config)
        let commit = commit ?? ProcessInfo.processInfo.environment["STRIDEBUS_COMMIT"] ?? ""
        let report = EvaluationReport(
            date: date ?? Date().formatted(.iso8601.year().month().day()), commit: commit,
            results: try results(evaluator))
        if json {
            Output.line(String(decoding: report.encodedJSON(), as: UTF8.self))
        } else {
            let lines =
                report.groupTable.lines + ["", "What activity was told, in shares of the seconds:"]
                + report.activityTable.lines + ["", "How far the figures hang on the recordings as they are:"]
                + report.variationTable.lines
            lines.forEach(Output.line)
        }
        if let markdown {
            try Data(report.markdown.utf8).write(to: URL(fileURLWithPath: markdown), options: .atomic)
        }
    }

    private func results(_ evaluator: RecordingEvaluator) throws -> [RecordingResult] {
        var progress = ProgressLine(total: evaluator.entries.count)
        defer { progress.clear() }
        return try evaluator.entries.flatMap { entry in
            progress.show(entry.file)
            return try evaluator.results(of: entry)
        }
    }
}

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
        transform: { try SimulatedPlacement.parse($0, oneOf: TrialConditions.ridePlacements) })
    var placement = SimulatedPlacement.frame

    @OptionGroup var simulation: SimulationOptions

    func validate() throws {
        guard (120...36_000).contains(seconds) else { throw ValidationError("--seconds must be 120 to 36000") }
    }

    func run() throws {
        let rides = try simulation.trials(
            of: TrialConditions.rides(on: placement), on: placement, seconds: seconds, count: rides)
        let table = TrialTable(rides: rides, on: placement)
        for line in table.lines + [""] + table.confidenceLines { Output.line(line) }
    }
}

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
        transform: { try SimulatedPlacement.parse($0, oneOf: TrialConditions.walkPlacements) })
    var placement = SimulatedPlacement.wrist

    @OptionGroup var simulation: SimulationOptions

    func validate() throws {
        guard (60...36_000).contains(seconds) else { throw ValidationError("--seconds must be 60 to 36000") }
    }

    func run() throws {
        let walks = try simulation.trials(
            of: TrialConditions.walks(on: placement), on: placement, seconds: seconds, count: walks)
        for line in TrialTable(walks: walks).lines { Output.line(line) }
    }
}
