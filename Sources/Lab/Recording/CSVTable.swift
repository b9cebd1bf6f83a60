package import Foundation

/// A small CSV text with a header, as RFC 4180 has it: quoted fields may hold commas, line ends and doubled quotes.
package struct CSVTable {
    /// A row under the header.
    package struct Row {
        /// The number of the line that it starts at.
        let line: Int
        fileprivate let fields: [String]
        fileprivate let columns: [String]
        fileprivate let path: String

        /// A field, or nil when it is empty or missing.
        package func text(_ column: String) -> String? {
            guard let index = columns.firstIndex(of: column), index < fields.count, !fields[index].isEmpty else {
                return nil
            }
            return fields[index]
        }

        /// A number, or nil when the field is empty.
        package func number(_ column: String) throws(RecordingError) -> Double? {
            guard let text = text(column) else { return nil }
            guard let value = Double(text), value.isFinite else {
                throw wrong("\(column) is not a finite number")
            }
            return value
        }

        /// The value of a field that must not be empty.
        package func required<Value>(_ value: Value?) throws(RecordingError) -> Value {
            guard let value else { throw wrong(CSVTable.misfit) }
            return value
        }

        /// The error of a mistake in the row.
        func wrong(_ problem: String) -> RecordingError { RecordingError(path, line: line, problem) }
    }

    package let rows: [Row]
    private static let misfit = "the fields do not fit the header: there are too many, or not all three of a sensor"

    /// Reads a table that must have some columns; others may be there.
    package init(_ bytes: [UInt8], path: String, columns required: [String]) throws(RecordingError) {
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
    package static func bytes(of url: URL) throws(RecordingError) -> [UInt8] {
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
            case UInt8(ascii: "\n") where !isQuoted && previous == UInt8(ascii: "\r"): break
            case UInt8(ascii: "\n") where !isQuoted, UInt8(ascii: "\r") where !isQuoted:
                endRow()
                line += 1
                rowLine = line
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
