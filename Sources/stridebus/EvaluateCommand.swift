import ArgumentParser
import Lab
import Foundation

/// How well the counter counts what was recorded with truth.
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
        let report = EvaluationReport(date: date ?? Self.today, commit: namedCommit, results: try results(evaluator))
        if json {
            Output.line(String(decoding: report.encodedJSON(), as: UTF8.self))
        } else {
            for line in report.tableLines { Output.line(line) }
            Output.line("")
            Output.line("What activity was told, in shares of the seconds:")
            for line in report.activityTableLines { Output.line(line) }
            Output.line("")
            Output.line("How far the figures hang on the recordings as they are:")
            for line in report.variationTableLines { Output.line(line) }
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

    private var namedCommit: String {
        commit ?? ProcessInfo.processInfo.environment["STRIDEBUS_COMMIT"] ?? ""
    }

    private static var today: String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let day = calendar.dateComponents([.year, .month, .day], from: Date())
        return String(format: "%04d-%02d-%02d", day.year ?? 0, day.month ?? 0, day.day ?? 0)
    }
}
