package import Foundation

/// The true cadence of a recording in windows, which may overlap.
package struct CadenceTruthFile: Sendable, Equatable {
    /// The windows, in the file's order.
    package let windows: [Window]

    /// A stretch of time and its cadence.
    package struct Window: Sendable, Equatable {
        /// Seconds since the recording's zero.
        package let startSeconds: Double
        /// Seconds since the recording's zero.
        package let endSeconds: Double
        /// Revolutions a minute.
        package let rpm: Double
        /// 1 when the truth may be relied on.
        package let confidence: Double

        package init(startSeconds: Double, endSeconds: Double, rpm: Double, confidence: Double) {
            self.startSeconds = startSeconds
            self.endSeconds = endSeconds
            self.rpm = rpm
            self.confidence = confidence
        }
    }

    /// Reads a truth file.
    package init(contentsOf url: URL) throws(RecordingError) {
        guard let data = try? Data(contentsOf: url) else { throw .unreadable(path: url.path) }
        try self.init(csv: Array(data), path: url.path)
    }

    /// Parses the bytes of a truth file; `path` is named in errors.
    package init(csv bytes: [UInt8], path: String = "rpm") throws(RecordingError) {
        let table = try CSVTable(bytes, path: path)
        let (start, end) = (try table.column("t_start_s"), try table.column("t_end_s"))
        let (rpm, confidence) = (try table.column("rpm"), try table.column("confidence"))
        var windows: [Window] = []
        for row in table.rows.indices {
            guard let from = try table.number(row, start), let to = try table.number(row, end),
                let value = try table.number(row, rpm), let sure = try table.number(row, confidence)
            else { throw .wrongFieldCount(line: table.rows[row].line, path: path) }
            windows.append(Window(startSeconds: from, endSeconds: to, rpm: value, confidence: sure))
        }
        self.windows = windows
    }
}

/// The times of the true steps or contacts of a recording.
package struct StepEventFile: Sendable, Equatable {
    /// Seconds since the recording's zero, with what happened.
    package let events: [Event]

    /// One step or contact.
    package struct Event: Sendable, Equatable {
        /// Seconds since the recording's zero.
        package let timeSeconds: Double
        /// The event, in the source's words.
        package let name: String
    }

    /// Reads a truth file.
    package init(contentsOf url: URL) throws(RecordingError) {
        guard let data = try? Data(contentsOf: url) else { throw .unreadable(path: url.path) }
        try self.init(csv: Array(data), path: url.path)
    }

    /// Parses the bytes of a truth file; `path` is named in errors.
    package init(csv bytes: [UInt8], path: String = "events") throws(RecordingError) {
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
