import Foundation

/// A small CSV text with a header, as RFC 4180 has it: quoted fields may hold commas, line ends and doubled quotes.
struct CSVTable {
    /// A row under the header.
    struct Row {
        /// The line it starts at.
        let line: Int
        fileprivate let fields: [String]
        fileprivate let columns: [String: Int]
        fileprivate let path: String

        /// A field, or nil when it is empty or missing.
        func text(_ column: String) -> String? {
            guard let index = columns[column], index < fields.count, !fields[index].isEmpty else { return nil }
            return fields[index]
        }

        /// A number, or nil when the field is empty.
        func number(_ column: String) throws(RecordingError) -> Double? {
            guard let text = text(column) else { return nil }
            guard let value = Double(text), value.isFinite else {
                throw .notANumber(line: line, column: column, path: path)
            }
            return value
        }

        /// The value of a field that must not be empty.
        func required<Value>(_ value: Value?) throws(RecordingError) -> Value {
            guard let value else { throw .wrongFieldCount(line: line, path: path) }
            return value
        }
    }

    let rows: [Row]

    /// Reads a table that must have some columns; others may be there.
    init(_ bytes: [UInt8], path: String, columns required: [String]) throws(RecordingError) {
        var reader = CSVReader(bytes: bytes, path: path)
        guard let header = try reader.nextRow()?.fields else { throw .noHeader(path: path) }
        for column in required where !header.contains(column) { throw .missingColumn(column, path: path) }
        let columns = Dictionary(zip(header, header.indices)) { first, _ in first }
        var rows: [Row] = []
        while let row = try reader.nextRow() {
            guard row.fields.count <= header.count else { throw .wrongFieldCount(line: row.line, path: path) }
            rows.append(Row(line: row.line, fields: row.fields, columns: columns, path: path))
        }
        self.rows = rows
    }

    /// The bytes of a file.
    static func bytes(of url: URL) throws(RecordingError) -> [UInt8] {
        guard let data = try? Data(contentsOf: url) else { throw .unreadable(path: url.path) }
        return Array(data)
    }
}

/// Takes one row after the other from CSV text.
struct CSVReader {
    let bytes: [UInt8]
    let path: String
    private var position = 0
    private var line = 1

    init(bytes: [UInt8], path: String) {
        self.bytes = bytes
        self.path = path
    }

    /// The next row that is not empty, or nil at the end.
    mutating func nextRow() throws(RecordingError) -> (line: Int, fields: [String])? {
        while position < bytes.count {
            let start = line
            let fields = try row()
            if fields != [""] { return (start, fields) }
        }
        return nil
    }

    private mutating func row() throws(RecordingError) -> [String] {
        var fields: [String] = []
        while true {
            fields.append(try field())
            guard position < bytes.count else { return fields }
            let separator = bytes[position]
            position += 1
            if separator == UInt8(ascii: "\n") {
                line += 1
                return fields
            }
        }
    }

    /// A field up to, not including, its comma or line end.
    private mutating func field() throws(RecordingError) -> String {
        var text: [UInt8] = []
        var isQuoted = false
        let start = line
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                let isDoubled = isQuoted && position + 1 < bytes.count && bytes[position + 1] == byte
                if isDoubled {
                    text.append(byte)
                    position += 1
                } else {
                    isQuoted.toggle()
                }
            } else if !isQuoted, byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\n") {
                break
            } else if isQuoted || byte != UInt8(ascii: "\r") {
                line += byte == UInt8(ascii: "\n") ? 1 : 0
                text.append(byte)
            }
            position += 1
        }
        guard !isQuoted else { throw .openQuote(line: start, path: path) }
        return String(decoding: text, as: UTF8.self)
    }
}

/// Reads decimal numbers from ASCII bytes without making strings.
enum NumberParser {
    /// Powers of ten that a Double holds exactly.
    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20,
        1e21, 1e22,
    ]

    /// The number that fills the range exactly, or nil. With at most 15 digits and a small exponent one multiplication
    /// or division of exact values is correctly rounded (Clinger, "How to read floating point numbers accurately",
    /// 1990); the rest goes to the standard library.
    static func parse(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Double? {
        var index = range.lowerBound
        let end = range.upperBound
        guard index < end else { return nil }
        let isNegative = bytes[index] == UInt8(ascii: "-")
        if isNegative || bytes[index] == UInt8(ascii: "+") { index += 1 }
        var mantissa: UInt64 = 0
        var digits = 0
        var decimals = 0
        var sawPoint = false
        while index < end {
            let digit = bytes[index] &- UInt8(ascii: "0")
            if digit <= 9 {
                guard digits < 15 else { return parseSlowly(bytes, range) }
                mantissa = mantissa &* 10 &+ UInt64(digit)
                digits += 1
                decimals += sawPoint ? 1 : 0
            } else if bytes[index] == UInt8(ascii: "."), !sawPoint {
                sawPoint = true
            } else {
                return parseSlowly(bytes, range)
            }
            index += 1
        }
        guard digits > 0 else { return nil }
        let magnitude = Double(mantissa) / powers[decimals]
        return isNegative ? -magnitude : magnitude
    }

    private static func parseSlowly(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Double? {
        guard let value = Double(String(decoding: bytes[range], as: UTF8.self)), value.isFinite else { return nil }
        return value
    }
}
