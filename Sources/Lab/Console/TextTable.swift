/// Rows of text under headings, in columns as wide as their widest cell.
public struct TextTable: Sendable {
    /// A heading and the side to which its cells lean.
    public struct Column: Sendable, Hashable {
        /// The words above the column.
        public let title: String
        /// Numbers lean right, words lean left.
        public let isNumeric: Bool

        /// A column of words.
        public static func words(_ title: String) -> Column { Column(title: title, isNumeric: false) }
        /// A column of numbers.
        public static func numbers(_ title: String) -> Column { Column(title: title, isNumeric: true) }
    }

    /// So many empty rows one after the other, such as the days of a week, are shown as they are.
    public static let maximumEmptyRows = 7

    private let columns: [Column]
    private var rows: [[String]] = []

    /// An empty table.
    public init(columns: [Column]) {
        self.columns = columns.map { Column(title: TextWidth.printable($0.title), isNumeric: $0.isNumeric) }
    }

    /// Whether there is nothing under the headings.
    public var isEmpty: Bool { rows.isEmpty }

    /// Adds a row; missing cells stay empty and cells beyond the last column are left out. What a terminal would obey
    /// is not printed.
    public mutating func append(_ cells: [String]) {
        let missing = max(0, columns.count - cells.count)
        rows.append(
            cells.prefix(columns.count).map(TextWidth.printable) + Array(repeating: "", count: missing))
    }

    /// Adds rows of which many may be empty: more than `maximumEmptyRows` of these one after the other become one line
    /// that says how many they are.
    public mutating func append(_ rows: [(cells: [String], isEmpty: Bool)]) {
        var index = 0
        while index < rows.count {
            let emptyCount = rows[index...].prefix { $0.isEmpty }.count
            if emptyCount > Self.maximumEmptyRows {
                append(["… \(emptyCount) without data"])
            } else {
                rows[index..<index + max(emptyCount, 1)].forEach { append($0.cells) }
            }
            index += max(emptyCount, 1)
        }
    }

    /// The heading and the rows, a line each, without trailing spaces.
    public var lines: [String] {
        let widths = columns.indices.map { column in
            rows.reduce(TextWidth.of(columns[column].title)) { max($0, TextWidth.of($1[column])) }
        }
        return [line(columns.map(\.title), widths)] + rows.map { line($0, widths) }
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        var text = ""
        for (index, cell) in cells.enumerated() {
            let padding = String(repeating: " ", count: max(0, widths[index] - TextWidth.of(cell)))
            text += (index == 0 ? "" : "  ") + (columns[index].isNumeric ? padding + cell : cell + padding)
        }
        while text.last == " " { text.removeLast() }
        return text
    }
}
