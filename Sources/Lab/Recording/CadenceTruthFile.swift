public import Foundation

/// The true cadence of a recording in windows, which may overlap.
public struct CadenceTruthFile: Sendable, Equatable {
    /// The windows, in the file's order.
    public let windows: [Window]

    /// A stretch of time and its cadence.
    public struct Window: Sendable, Equatable {
        /// Seconds since the recording's zero.
        public let startSeconds: Double
        /// Seconds since the recording's zero.
        public let endSeconds: Double
        /// Revolutions a minute.
        public let rpm: Double
        /// 1 when the truth may be relied on.
        public let confidence: Double

        /// A window from its parts.
        public init(startSeconds: Double, endSeconds: Double, rpm: Double, confidence: Double) {
            self.startSeconds = startSeconds
            self.endSeconds = endSeconds
            self.rpm = rpm
            self.confidence = confidence
        }
    }

    /// Reads a truth file.
    public init(contentsOf url: URL) throws(RecordingError) {
        guard let data = try? Data(contentsOf: url) else { throw .unreadable(path: url.path) }
        try self.init(csv: Array(data), path: url.path)
    }

    /// Parses the bytes of a truth file; `path` is named in errors.
    public init(csv bytes: [UInt8], path: String = "rpm") throws(RecordingError) {
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
