package import Foundation
package import Wire

/// The list of a folder's recordings: its `index.csv`.
package struct RecordingIndex: Sendable {
    /// The recordings, in the file's order.
    package let entries: [Entry]

    /// Reads `index.csv` of a folder.
    package init(folder: URL) throws(RecordingError) {
        let url = folder.appendingPathComponent("index.csv")
        try self.init(csv: try CSVTable.bytes(of: url), path: url.path)
    }

    /// Parses the bytes of an index; `path` is named in errors.
    package init(csv bytes: [UInt8], path: String = "index.csv") throws(RecordingError) {
        let table = try CSVTable(
            bytes, path: path,
            columns: [
                "file", "subject", "activity", "placement", "rate_hz", "duration_s", "true_steps",
                "events_file", "rpm_file",
            ])
        entries = try table.rows.map(Entry.init)
    }

    /// One recording and what is known about it.
    package struct Entry: Sendable, Equatable {
        /// The CSV file, relative to the folder.
        package let file: String
        /// The person who carried it, or the capture date; recordings with the same subject belong to one fold.
        package let subject: String
        /// The activity, in the source's words.
        package let activity: String
        /// The placement, in the source's words.
        package let placement: String
        /// Samples a second, where known.
        package let rateHz: Double?
        /// Length in seconds, where known.
        package let durationSeconds: Double?
        /// Steps made, when known; 0 for what is no gait.
        package let trueSteps: Int?
        /// The file of step times, relative to the folder.
        package let eventsFile: String?
        /// The file of cadence windows, relative to the folder.
        package let rpmFile: String?

        /// The placement as one of the words of a device's configuration.
        package var placementKeyword: SensorPlacement { SensorPlacement(freeText: placement) }
        /// The folder that the file lies in: the group whose results belong together.
        package var group: String { file.split(separator: "/").dropLast().joined(separator: "/") }
    }
}

extension RecordingIndex.Entry {
    init(_ row: CSVTable.Row) throws(RecordingError) {
        file = try row.required(row.text("file"))
        subject = row.text("subject") ?? ""
        activity = row.text("activity") ?? ""
        placement = row.text("placement") ?? ""
        rateHz = try row.number("rate_hz")
        durationSeconds = try row.number("duration_s")
        trueSteps = try row.number("true_steps").flatMap { Int(exactly: $0.rounded()) }
        eventsFile = row.text("events_file")
        rpmFile = row.text("rpm_file")
    }
}

/// Placements as the authors of recordings describe them, in free text.
extension SensorPlacement {
    private static let words: [(String, SensorPlacement)] = [
        ("wrist", .wrist), ("forearm", .wrist), ("back pocket", .pocket), ("backpack", .bag), ("pocket", .pocket),
        ("jacket", .pocket), ("seat post", .frame), ("seatpost", .frame), ("saddle", .frame), ("lower back", .back),
        ("lumbar", .back), ("sacrum", .back), ("sternum", .back), ("chest", .back), ("trunk", .back), ("torso", .back),
        ("purse", .bag), ("pouch", .bag), ("bag", .bag), ("armband", .hand), ("upper arm", .hand), ("inhand", .hand),
        ("in hand", .hand), ("swingingarm", .hand), ("handlebar", .frame), ("hand", .hand), ("hip", .hip),
        ("belt", .hip), ("waist", .hip), ("pelvis", .hip), ("thigh", .thigh), ("upper leg", .thigh), ("femur", .thigh),
        ("shin", .ankle), ("shank", .ankle), ("ankle", .ankle), ("lower leg", .ankle), ("calf", .ankle),
        ("tibia", .ankle), ("foot", .foot), ("feet", .foot), ("shoe", .foot), ("heel", .foot), ("toe", .foot),
        ("crank", .crank), ("pedal", .crank), ("frame", .frame), ("holder", .frame), ("watch", .wrist),
        ("back", .back),
    ]

    /// The placement whose word a free text contains; the first of a list that goes from particular to general.
    package init(freeText: String) {
        let text = freeText.lowercased()
        self = Self.words.first { text.contains($0.0) }?.1 ?? .unknown
    }
}

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
        windows = try table.rows.map { row throws(RecordingError) in
            Window(
                startSeconds: try row.required(try row.number("t_start_s")),
                endSeconds: try row.required(try row.number("t_end_s")),
                rpm: try row.required(try row.number("rpm")),
                confidence: try row.required(try row.number("confidence")))
        }
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
        events = try table.rows.map { row throws(RecordingError) in
            Event(timeSeconds: try row.required(try row.number("t_s")), name: row.text("event") ?? "")
        }
    }
}
