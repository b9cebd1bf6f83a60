import Foundation
import Lab
import Logging

/// Log lines for systemd's journal: with their level as sd-daemon(3) has it, and without a time, which the journal notes.
struct JournalLogHandler: LogHandler {
    var logLevel: Logger.Level = .info
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        Output.error(Self.lines(of: event, metadata: metadata.merging(event.metadata ?? [:]) { $1 }))
    }

    /// The lines of an event, each with the level: the journal takes each line for an entry.
    static func lines(of event: LogEvent, metadata: Logger.Metadata) -> String {
        let values = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        return "\(event.message)\(values)".split(separator: "\n")
            .map { "\(prefix(of: event.level))\($0)\n" }.joined()
    }

    /// Whether standard error is the journal (systemd.exec(5), JOURNAL_STREAM). A program that is started by one that
    /// writes to it inherits the variable, perhaps with another standard error.
    static let isInUse: Bool = {
        var status = stat()
        guard let stream = ProcessInfo.processInfo.environment["JOURNAL_STREAM"], fstat(STDERR_FILENO, &status) == 0
        else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }()

    static func prefix(of level: Logger.Level) -> String {
        switch level {
        case .trace, .debug: "<7>"
        case .info: "<6>"
        case .notice: "<5>"
        case .warning: "<4>"
        case .error: "<3>"
        case .critical: "<2>"
        }
    }
}
