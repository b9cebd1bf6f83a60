package import Foundation
package import Lab
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
        let columns = [
            "file", "subject", "activity", "placement", "duration_s", "true_steps",
        ]
        entries = try CSVTable(bytes, path: path, columns: columns).rows.map(Entry.init)
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
        /// Length in seconds, where known.
        package let durationSeconds: Double?
        /// Steps made, when known; 0 for what is no gait.
        package let trueSteps: Int?
        /// The file of the true cadence, relative to the folder, where it is known.
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
        durationSeconds = try row.number("duration_s")
        trueSteps = try row.number("true_steps").flatMap { Int(exactly: $0.rounded()) }
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
