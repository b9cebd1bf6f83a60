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
