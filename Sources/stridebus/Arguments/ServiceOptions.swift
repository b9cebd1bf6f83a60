import ArgumentParser
import ServiceKit
import Logging
import Wire

/// What every subcommand that runs services has.
struct ServiceOptions: ParsableArguments {
    @OptionGroup var bus: BusOptions
    @OptionGroup var source: SourceOptions

    @Option(
        help: ArgumentHelp(
            "The directory for the files of counter and history (default: stridebus-data).", valueName: "directory"),
        completion: .directory)
    var data: String?

    @Option(
        help: ArgumentHelp(
            "Where history is kept: a directory, or postgresql://user@host/database (default: the data directory).",
            valueName: "place"))
    var historyStore: String?

    @Option(help: ArgumentHelp("The partitions that this counter owns (default: 0-63).", valueName: "range"))
    var partitions: String?

    @Option(help: ArgumentHelp("The time zone of devices whose config names none (default: UTC).", valueName: "zone"))
    var zone: String?

    @Option(help: ArgumentHelp("full or normal: what a commit waits for (default: full).", valueName: "mode"))
    var synchronous: String?

    @Option(
        help: ArgumentHelp(
            "For how many days history keeps minutes, at least 7 (default: 400); hours and days stay for ever.",
            valueName: "days"))
    var retentionDays: Int?

    @Option(
        help: ArgumentHelp(
            "Requests that need a key, such as people/forget,devices/forget (default: none).", valueName: "requests"))
    var protected: String?

    @Option(
        help: ArgumentHelp(
            "The key that they need, 16 to 256 bytes; better in STRIDEBUS_PROTECTED_KEY, which nobody else sees.",
            valueName: "key"))
    var protectedKey: String?

    /// The options that were given, by configuration key.
    var flags: [String: String] {
        var flags = bus.flags
        flags["data"] = data
        flags["history-store"] = historyStore
        flags["partitions"] = partitions
        flags["zone"] = zone
        flags["synchronous"] = synchronous
        flags["retention-days"] = retentionDays.map { "\($0)" }
        flags["protected"] = protected
        flags["protected-key"] = protectedKey
        flags["log-level"] = source.logLevel
        return flags
    }

    /// Makes the services, and a private broker with the page where options for it are given.
    func prepare(
        _ services: [ServiceName], privateBroker: BusRun.PrivateBroker, page: PageOptions? = nil
    ) async throws -> BusRun {
        let flags = flags.merging(page?.flags ?? [:]) { $1 }
        return try await BusRun.prepare(
            services, sources: ConfigurationSources(flags: flags, file: source.config), privateBroker: privateBroker,
            makeLogger: source.logger)
    }
}
