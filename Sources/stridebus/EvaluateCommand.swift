import ArgumentParser
import Foundation
import Lab

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

    @Flag(inversion: .prefixedNo, help: "The counter is told what each device is and where it sits.")
    var config = true

    func run() throws {
        let evaluator = try RecordingEvaluator(
            folder: URL(fileURLWithPath: folder, isDirectory: true), isConfigured: config)
        var progress = ProgressLine(total: evaluator.entries.count)
        let report = EvaluationReport(
            try evaluator.entries.map { entry in
                progress.show(entry.file)
                return try evaluator.result(of: entry)
            })
        progress.clear()
        guard !json else { return Output.json(report.encodedJSON()) }
        let lines =
            report.groupTable.lines + ["", "What activity was told, in shares of the seconds:"]
            + report.activityTable.lines + ["", "How often a cadence told with a confidence was right:"]
            + report.confidenceTable.lines
        lines.forEach(Output.line)
    }
}
