public import Foundation

/// The times of the true steps or contacts of a recording.
public struct StepEventFile: Sendable, Equatable {
    /// Seconds since the recording's zero, with what happened.
    public let events: [Event]

    /// One step or contact.
    public struct Event: Sendable, Equatable {
        /// Seconds since the recording's zero.
        public let timeSeconds: Double
        /// What happened, as the source words it.
        public let name: String
    }

    /// Reads a truth file.
    public init(contentsOf url: URL) throws(RecordingError) {
        guard let data = try? Data(contentsOf: url) else { throw .unreadable(path: url.path) }
        try self.init(csv: Array(data), path: url.path)
    }

    /// Parses the bytes of a truth file; `path` is named in errors.
    public init(csv bytes: [UInt8], path: String = "events") throws(RecordingError) {
        let table = try CSVTable(bytes, path: path)
        let (time, name) = (try table.column("t_s"), try table.column("event"))
        var events: [Event] = []
        for row in table.rows.indices {
            guard let seconds = try table.number(row, time) else {
                throw .wrongFieldCount(line: table.rows[row].line, path: path)
            }
            events.append(Event(timeSeconds: seconds, name: table.text(row, name) ?? ""))
        }
        self.events = events
    }
}
