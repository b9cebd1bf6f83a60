/// A small CSV text with a header, as RFC 4180 has it: quoted fields may hold commas, line ends and doubled quotes.
struct CSVTable {
    let header: [String]
    /// The rows under the header, and the line each starts at.
    let rows: [(line: Int, fields: [String])]
    let path: String

    init(_ bytes: [UInt8], path: String) throws(RecordingError) {
        var reader = CSVReader(bytes: bytes, path: path)
        guard let first = try reader.nextRow() else { throw .noHeader(path: path) }
        header = first.fields
        var rows: [(line: Int, fields: [String])] = []
        while let row = try reader.nextRow() {
            guard row.fields.count <= first.fields.count else {
                throw .wrongFieldCount(line: row.line, path: path)
            }
            rows.append(row)
        }
        self.rows = rows
        self.path = path
    }

    /// Where a column is.
    func column(_ name: String) throws(RecordingError) -> Int {
        guard let index = header.firstIndex(of: name) else { throw .missingColumn(name, path: path) }
        return index
    }

    /// A field, or nil when it is empty or missing.
    func text(_ row: Int, _ column: Int) -> String? {
        let fields = rows[row].fields
        return column < fields.count && !fields[column].isEmpty ? fields[column] : nil
    }

    /// A number, or nil when the field is empty.
    func number(_ row: Int, _ column: Int) throws(RecordingError) -> Double? {
        guard let text = text(row, column) else { return nil }
        guard let value = Double(text), value.isFinite else {
            throw .notANumber(line: rows[row].line, column: header[column], path: path)
        }
        return value
    }
}
