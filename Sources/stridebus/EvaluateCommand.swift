import ArgumentParser
import Foundation
import Lab

struct EvaluateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Count a folder of recordings with truth, and say how well, a group at a time.",
        discussion: """
            The folder holds an index.csv (file, subject, activity, placement, duration_s, true_steps) and the CSV files of \
            'stridebus count'. Groups are folder × placement × activity and are never pooled. It is the counter's own \
            pipeline, so the services count the same.
            """)

    @Argument(help: "The folder.", completion: .directory)
    var folder: String

    @Flag(help: "Print a JSON object a recording instead of the table of the groups.")
    var json = false

    @Flag(inversion: .prefixedNo, help: "The counter is told what each device is and where it sits.")
    var config = true

    func run() throws {
        let folder = URL(fileURLWithPath: folder, isDirectory: true)
        let results = try RecordingIndex(folder: folder).entries.map {
            try RecordingResult(counting: $0, in: folder, isConfigured: config)
        }
        guard !json else { return results.forEach { Output.json($0.encodedJSON()) } }
        TextTable(evaluating: results).lines.forEach(Output.line)
    }
}
