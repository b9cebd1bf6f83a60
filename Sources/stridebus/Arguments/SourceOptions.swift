import ArgumentParser
import Launch
import Logging

/// Options that every subcommand with configuration has.
struct SourceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A JSON object with one member an option.", valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("trace, debug, info, notice, warning or error.", valueName: "level"))
    var logLevel: String?

    /// A logger to standard error.
    func logger(_ label: String, level: Logger.Level) -> Logger {
        var logger = Logger(label: label) { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = level
        return logger
    }
}
