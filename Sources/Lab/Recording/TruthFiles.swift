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
        try self.init(csv: try CSVTable.bytes(of: url), path: url.path)
    }

    /// Parses the bytes of a truth file; `path` is named in errors.
    package init(csv bytes: [UInt8], path: String = "rpm") throws(RecordingError) {
        let table = try CSVTable(bytes, path: path, columns: ["t_start_s", "t_end_s", "rpm", "confidence"])
        var windows: [Window] = []
        for row in table.rows {
            windows.append(
                Window(
                    startSeconds: try row.required(try row.number("t_start_s")),
                    endSeconds: try row.required(try row.number("t_end_s")),
                    rpm: try row.required(try row.number("rpm")),
                    confidence: try row.required(try row.number("confidence"))))
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
        try self.init(csv: try CSVTable.bytes(of: url), path: url.path)
    }

    /// Parses the bytes of a truth file; `path` is named in errors.
    package init(csv bytes: [UInt8], path: String = "events") throws(RecordingError) {
        let table = try CSVTable(bytes, path: path, columns: ["t_s", "event"])
        var events: [Event] = []
        for row in table.rows {
            events.append(Event(timeSeconds: try row.required(try row.number("t_s")), name: row.text("event") ?? ""))
        }
        self.events = events
    }
}
