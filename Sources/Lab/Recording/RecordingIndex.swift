package import Foundation
package import Wire

/// The list of a folder's recordings: its `index.csv`.
package struct RecordingIndex: Sendable {
    /// The recordings, in the file's order.
    package let entries: [Entry]

    /// Reads `index.csv` of a folder.
    package init(folder: URL) throws(RecordingError) {
        let url = folder.appendingPathComponent("index.csv")
        guard let data = try? Data(contentsOf: url) else { throw .unreadable(path: url.path) }
        try self.init(csv: Array(data), path: url.path)
    }

    /// Parses the bytes of an index; `path` is named in errors.
    package init(csv bytes: [UInt8], path: String = "index.csv") throws(RecordingError) {
        let table = try CSVTable(bytes, path: path)
        let columns = try Columns(table)
        var entries: [Entry] = []
        for row in table.rows.indices {
            entries.append(try Entry(table, row: row, columns))
        }
        self.entries = entries
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
        /// Crank revolutions a minute, when known.
        package let trueRPM: Double?
        /// The quality of the truth, by the source's grade.
        package let truthGrade: String
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

extension RecordingIndex {
    struct Columns {
        let file, subject, activity, placement, rate, duration, steps, rpm, grade, events, rpmFile: Int

        init(_ table: CSVTable) throws(RecordingError) {
            file = try table.column("file")
            subject = try table.column("subject")
            activity = try table.column("activity")
            placement = try table.column("placement")
            rate = try table.column("rate_hz")
            duration = try table.column("duration_s")
            steps = try table.column("true_steps")
            rpm = try table.column("true_rpm")
            grade = try table.column("truth_grade")
            events = try table.column("events_file")
            rpmFile = try table.column("rpm_file")
        }
    }
}

extension RecordingIndex.Entry {
    init(_ table: CSVTable, row: Int, _ columns: RecordingIndex.Columns) throws(RecordingError) {
        guard let file = table.text(row, columns.file) else {
            throw .wrongFieldCount(line: table.rows[row].line, path: table.path)
        }
        self.file = file
        subject = table.text(row, columns.subject) ?? ""
        activity = table.text(row, columns.activity) ?? ""
        placement = table.text(row, columns.placement) ?? ""
        rateHz = try table.number(row, columns.rate)
        durationSeconds = try table.number(row, columns.duration)
        trueSteps = try table.number(row, columns.steps).flatMap { Int(exactly: $0.rounded()) }
        trueRPM = try table.number(row, columns.rpm)
        truthGrade = table.text(row, columns.grade) ?? ""
        eventsFile = table.text(row, columns.events)
        rpmFile = table.text(row, columns.rpmFile)
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
