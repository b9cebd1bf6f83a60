import ArgumentParser
import Logging

/// Options that every subcommand with configuration has.
struct SourceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A JSON object with one member an option.", valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("trace, debug, info, notice, warning or error (default: info).", valueName: "level"))
    var logLevel: String?

    /// A logger to standard error.
    func logger(level: Logger.Level) -> Logger {
        var logger = Logger(label: "stridebus") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = level
        return logger
    }
}
