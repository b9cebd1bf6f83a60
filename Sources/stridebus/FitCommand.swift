import ArgumentParser
import Foundation
import Lab

struct FitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fit",
        abstract: "Write features for the fit of the estimator's model, and count with tables that it makes.",
        subcommands: [FitFeaturesCommand.self, FitCountCommand.self])
}

struct FitFeaturesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "features", abstract: "Write the features of a folder of recordings and of simulated subjects.")

    @Argument(help: "The folder of recordings.", completion: .directory)
    var folder: String

    @Argument(help: "The folder to write to.", completion: .directory)
    var output: String

    @Option(help: "Copies of each recording, each with a sensor drawn at random.")
    var copies = 2

    @Option(help: "Of copies and simulations one moment in so many is written.")
    var every = 4

    @Option(help: "The number of seeds of simulated subjects.")
    var seeds: UInt64 = 5

    @Option(help: "The first seed.")
    var firstSeed: UInt64 = 0

    func run() throws {
        var export = try FeatureExport(
            recordings: URL(fileURLWithPath: folder, isDirectory: true),
            output: URL(fileURLWithPath: output, isDirectory: true))
        try export.writeRecordings(copies: copies, copyStep: every)
        try export.writeSimulated(seeds: firstSeed..<firstSeed + seeds, step: every)
        try export.close()
    }
}

struct FitCountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count", abstract: "Count recordings and simulated subjects with fitted tables.")

    @Argument(help: "The folder of recordings.", completion: .directory)
    var folder: String

    @Argument(help: "The tables.", completion: .file())
    var tables: String

    @Argument(help: "The list of files, tables and what is told.", completion: .file())
    var list: String

    func run() throws {
        let count = try TableCount(
            recordings: URL(fileURLWithPath: folder, isDirectory: true), tables: URL(fileURLWithPath: tables))
        let text = try String(contentsOf: URL(fileURLWithPath: list), encoding: .utf8)
        try count.count(text.split(separator: "\n")) { Output.line($0) }
    }
}
