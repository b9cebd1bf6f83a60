import Glibc

/// Lines that are redrawn in place on a terminal, cut to its size.
///
/// The cursor moves up over what was drawn before, and what is below it is cleared and written again (ECMA-48 `CUU` and
/// `ED`).
package struct LiveScreen: Sendable {
    private var drawnCount = 0

    package init() {}

    /// True if standard output is a terminal that can be redrawn.
    package static var isTerminal: Bool {
        isatty(STDOUT_FILENO) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"
    }

    /// The bytes that put lines where the last ones stand. Where some are left out, the last one says how many.
    mutating func redraw(_ lines: [String], rows: Int, columns: Int) -> String {
        let room = max(1, rows - 1)
        var shown = Array(lines.prefix(lines.count > room ? room - 1 : room))
        if lines.count > room { shown.append("… and \(lines.count - shown.count) more") }
        let up = drawnCount > 0 ? "\u{1b}[\(drawnCount)A" : ""
        drawnCount = shown.count
        return up + "\r\u{1b}[J"
            + shown.map { TextWidth.cut(TextWidth.printable($0), columns: columns) + "\n" }.joined()
    }

    /// The same on standard output, by the size of its terminal, or a usual one where that is unknown.
    mutating func redraw(_ lines: [String]) {
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0 && size.ws_col > 0
        Output.write(redraw(lines, rows: isKnown ? Int(size.ws_row) : 40, columns: isKnown ? Int(size.ws_col) : 120))
    }
}
