import Foundation
import Lab
import Logging
import Wire

/// Log lines on standard error: with their time and level, and in systemd's journal with the level as sd-daemon(3) has it.
///
/// Nothing in a value is unseen: names come from the bus, and a line's end or an escape of the terminal in one of them would
/// forge a line, or hide it.
struct LineLogHandler: LogHandler {
    var logLevel: Logger.Level = .info
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let metadata = metadata.merging(event.metadata ?? [:]) { $1 }
        Output.errorLines(Self.lines(of: event, metadata: metadata, isJournal: Self.isInJournal))
    }

    /// The lines of an event, each with the level: the journal takes each line for an entry.
    static func lines(of event: LogEvent, metadata: Logger.Metadata, isJournal: Bool) -> String {
        let values = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\(NameText.shown("\($0.value)"))" }.joined()
        let start = isJournal ? prefix(of: event.level) : "\(Date().formatted(.iso8601)) \(event.level): "
        return "\(event.message)\(values)".split(separator: "\n").map { start + $0 }.joined(separator: "\n")
    }

    /// Whether standard error is the journal (systemd.exec(5), JOURNAL_STREAM). A program that is started by one that
    /// writes to it inherits the variable, perhaps with another standard error.
    static let isInJournal: Bool = {
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
