/// Rows of text under headings, in columns as wide as their widest cell.
package struct TextTable: Sendable {
    /// A heading and the side to which its cells lean.
    package struct Column: Sendable {
        package let title: String
        /// Numbers lean right, words lean left.
        let isNumeric: Bool

        package static func words(_ title: String) -> Column { Column(title: title, isNumeric: false) }
        package static func numbers(_ title: String) -> Column { Column(title: title, isNumeric: true) }
    }

    /// The longest run of empty rows that is shown as it is, such as the days of a week.
    private static let maximumEmptyRows = 7

    package let columns: [Column]
    package private(set) var rows: [[String]] = []

    /// An empty table.
    package init(columns: [Column]) {
        self.columns = columns.map { Column(title: TextWidth.printable($0.title), isNumeric: $0.isNumeric) }
    }

    /// True if there is nothing under the headings.
    package var isEmpty: Bool { rows.isEmpty }

    /// Adds a row; missing cells stay empty and cells beyond the last column are left out. What a terminal would obey
    /// is not printed.
    package mutating func append(_ cells: [String]) {
        let missing = max(0, columns.count - cells.count)
        rows.append(
            cells.prefix(columns.count).map(TextWidth.printable) + Array(repeating: "", count: missing))
    }

    /// Adds rows of which many may be empty: more than `maximumEmptyRows` of these one after the other become one line
    /// that says how many they are.
    package mutating func append(_ rows: [(cells: [String], isEmpty: Bool)]) {
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
    package var lines: [String] {
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

/// The width of a text in cells of a terminal.
enum TextWidth {
    /// The characters that take two cells: wide and full-width ones (Unicode Standard Annex #11), by their blocks.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF,
        0x20000...0x3FFFD,
    ]

    /// The cells of a text.
    static func of(_ text: String) -> Int {
        text.reduce(0) { $0 + of($1) }
    }

    /// A text without what goes beyond so many cells; the last cell says that there was more.
    static func cut(_ text: String, columns: Int) -> String {
        guard of(text) > columns else { return text }
        var (cut, width) = ("", 1)
        for character in text {
            width += of(character)
            guard width <= columns else { break }
            cut.append(character)
        }
        return cut + "…"
    }

    /// A character is as wide as what it begins with; what is put on top of that takes no room of its own.
    private static func of(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        return wide.contains { $0.contains(first.value) } ? 2 : 1
    }

    /// A text of one line that a terminal only shows: what it would obey is replaced.
    static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isObeyed) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isObeyed($0) ? "\u{FFFD}" : $0 }))
    }

    /// True for Unicode's control characters, for what ends a line, and for what turns the direction of the text after it.
    static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        }
    }
}
