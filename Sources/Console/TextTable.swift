/// Rows of text under headings, in columns as wide as their widest cell.
public struct TextTable: Sendable {
    /// A heading and the side to which its cells lean.
    public struct Column: Sendable {
        /// The words above the column.
        public let title: String
        /// Numbers lean right, words lean left.
        public let isNumeric: Bool

        /// A column of words.
        public static func words(_ title: String) -> Column { Column(title: title, isNumeric: false) }
        /// A column of numbers.
        public static func numbers(_ title: String) -> Column { Column(title: title, isNumeric: true) }
    }

    private let columns: [Column]
    private var rows: [[String]] = []

    /// An empty table.
    public init(columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row; missing cells stay empty and cells beyond the last column are left out.
    public mutating func append(_ cells: [String]) {
        let missing = max(0, columns.count - cells.count)
        rows.append(Array(cells.prefix(columns.count)) + Array(repeating: "", count: missing))
    }

    /// The heading and the rows, a line each, without trailing spaces.
    public var lines: [String] {
        let widths = columns.indices.map { column in
            rows.reduce(columns[column].title.count) { max($0, $1[column].count) }
        }
        return [line(columns.map(\.title), widths)] + rows.map { line($0, widths) }
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        var text = ""
        for (index, cell) in cells.enumerated() {
            let padding = String(repeating: " ", count: max(0, widths[index] - cell.count))
            text += (index == 0 ? "" : "  ") + (columns[index].isNumeric ? padding + cell : cell + padding)
        }
        while text.last == " " { text.removeLast() }
        return text
    }
}
