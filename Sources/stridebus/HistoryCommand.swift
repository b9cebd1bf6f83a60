import ArgumentParser
import Lab
import Foundation
import History
import ServiceKit
import ServiceLifecycle
import Wire

/// The service that remembers, and what is done to its store by hand.
struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Run history: minute rows in, answers out; or prune its store.",
        subcommands: [RunHistory.self, PruneHistory.self], defaultSubcommand: RunHistory.self)
}

/// The service.
struct RunHistory: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "run", abstract: "Run history (the default).")
    @OptionGroup var service: ServiceOptions

    func run() async throws {
        try await service.prepare([.history], privateBroker: .none).group().run()
    }
}

/// Retention at once.
struct PruneHistory: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Make hours of the minutes that are older than --retention-days, at once instead of by and by.",
        discussion: """
            Hours and days are kept for ever. A file must not be in use by a history, unless it is a dry run; a \
            PostgreSQL database may be.
            """)
    @OptionGroup var service: ServiceOptions

    @Flag(help: "Only say how many minutes there are to do it to.")
    var dryRun = false

    func run() async throws {
        let reader = try ConfigurationSources(flags: service.flags, file: service.source.config).reader()
        let pruning = HistoryPruning(
            try HistoryConfiguration(config: reader), nowSeconds: Date().timeIntervalSince1970)
        var progress = ProgressLine()
        defer { progress.clear() }
        let report = try await pruning.run(isDryRun: dryRun) { device, _ in progress.show("\(device)") }
        progress.clear()
        let instant = TimePoint.instant(seconds: Double(pruning.horizonSeconds)).text
        let verb = dryRun ? "would become" : "became"
        Output.line("\(report.minutes) minutes of \(report.devices) devices from before \(instant) \(verb) hours")
    }
}
