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

/// A small CSV text with a header, as RFC 4180 has it: quoted fields may hold commas, line ends and doubled quotes.
struct CSVTable {
    /// A row under the header.
    struct Row {
        /// The number of the line that it starts at.
        let line: Int
        fileprivate let fields: [String]
        fileprivate let columns: [String]
        fileprivate let path: String

        /// A field, or nil when it is empty or missing.
        func text(_ column: String) -> String? {
            guard let index = columns.firstIndex(of: column), index < fields.count, !fields[index].isEmpty else {
                return nil
            }
            return fields[index]
        }

        /// A number, or nil when the field is empty.
        func number(_ column: String) throws(RecordingError) -> Double? {
            guard let text = text(column) else { return nil }
            guard let value = Double(text), value.isFinite else {
                throw wrong("\(column) is not a finite number")
            }
            return value
        }

        /// The value of a field that must not be empty.
        func required<Value>(_ value: Value?) throws(RecordingError) -> Value {
            guard let value else { throw wrong(CSVTable.misfit) }
            return value
        }

        /// The error of a mistake in the row.
        func wrong(_ problem: String) -> RecordingError { RecordingError(path, line: line, problem) }
    }

    let rows: [Row]
    private static let misfit = "the fields do not fit the header"

    /// Reads a table that must have some columns; others may be there.
    init(_ bytes: [UInt8], path: String, columns required: [String]) throws(RecordingError) {
        let lines = try Self.lines(bytes, path: path)
        guard let header = lines.first?.fields else {
            throw RecordingError(path, "is empty; the first line must name the columns")
        }
        for column in required where !header.contains(column) {
            throw RecordingError(path, line: 1, "the header has no column \(column)")
        }
        rows = try lines.dropFirst().map { line, fields throws(RecordingError) in
            guard fields.count <= header.count else { throw RecordingError(path, line: line, Self.misfit) }
            return Row(line: line, fields: fields, columns: header, path: path)
        }
    }

    /// The bytes of a file.
    static func bytes(of url: URL) throws(RecordingError) -> [UInt8] {
        guard let data = try? Data(contentsOf: url) else {
            throw RecordingError(url.path, "cannot be read; check the path and its permissions")
        }
        return Array(data)
    }

    /// The rows that are not empty, each with the number of the line that it starts at.
    private static func lines(
        _ bytes: [UInt8], path: String
    ) throws(RecordingError) -> [(line: Int, fields: [String])] {
        var rows: [(line: Int, fields: [String])] = []
        var (fields, text) = ([String](), [UInt8]())
        var (line, rowLine, quoteLine) = (1, 1, 1)
        var (isQuoted, previous) = (false, UInt8(0))
        func endField() {
            fields.append(String(decoding: text, as: UTF8.self))
            text.removeAll(keepingCapacity: true)
        }
        func endRow() {
            endField()
            if fields != [""] { rows.append((rowLine, fields)) }
            fields.removeAll()
        }
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        for byte in bytes.dropFirst(bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0) {
            switch byte {
            case UInt8(ascii: "\""):
                isQuoted.toggle()
                // A quote that opens again at once is a doubled one.
                if isQuoted, previous == byte { text.append(byte) } else if isQuoted { quoteLine = line }
            case UInt8(ascii: ",") where !isQuoted: endField()
            case UInt8(ascii: "\n") where !isQuoted:
                endRow()
                line += 1
                rowLine = line
            case UInt8(ascii: "\r") where !isQuoted: break
            default:
                line += byte == UInt8(ascii: "\n") ? 1 : 0
                text.append(byte)
            }
            previous = byte
        }
        guard !isQuoted else { throw RecordingError(path, line: quoteLine, "a quoted field does not end") }
        endRow()
        return rows
    }
}
