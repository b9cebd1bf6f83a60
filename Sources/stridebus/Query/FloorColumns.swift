import Console
import Wire

/// The columns for floors of a table, which are there where some row knows floors.
struct FloorColumns {
    private let isThere: Bool

    /// The columns for rows with these floors.
    init(_ all: [FloorCounts?]) {
        isThere = all.contains { $0 != nil }
    }

    /// The headings.
    var columns: [TextTable.Column] { isThere ? [.numbers("up"), .numbers("down")] : [] }

    /// The cells of a row.
    func cells(_ floors: FloorCounts?) -> [String] {
        guard isThere else { return [] }
        return floors.map { ["\($0.ascended)", "\($0.descended)"] } ?? ["", ""]
    }
}
