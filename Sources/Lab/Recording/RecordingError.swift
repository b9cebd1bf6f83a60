/// What is wrong with a recorded file, and where.
public enum RecordingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file cannot be read.
    case unreadable(path: String)
    /// The file has no header line.
    case noHeader(path: String)
    /// The header lacks a column that must be there.
    case missingColumn(String, path: String)
    /// A line has more fields than the header, or a required field is missing.
    case wrongFieldCount(line: Int, path: String)
    /// A field is not a finite number.
    case notANumber(line: Int, column: String, path: String)
    /// The time is not later than on the line before.
    case timeNotIncreasing(line: Int, path: String)
    /// A quoted field does not end.
    case openQuote(line: Int, path: String)

    /// One line that says what and where.
    public var description: String {
        switch self {
        case .unreadable(let path): "\(path): cannot be read; check the path and its permissions"
        case .noHeader(let path): "\(path): is empty; the first line must name the columns"
        case .missingColumn(let column, let path): "\(path):1: the header has no column \(column)"
        case .wrongFieldCount(let line, let path): "\(path):\(line): the fields do not fit the header"
        case .notANumber(let line, let column, let path): "\(path):\(line): \(column) is not a finite number"
        case .timeNotIncreasing(let line, let path): "\(path):\(line): t_s must increase from line to line"
        case .openQuote(let line, let path): "\(path):\(line): a quoted field does not end"
        }
    }
}
