import Foundation

/// A block of lines that is redrawn in place on a terminal, and left out in a pipe.
///
/// The cursor moves up over the block drawn before, and each line that differs is cleared and written again (ECMA-48
/// `CUU` and `EL`), so nothing flickers and what was above stays. Where the terminal's size has changed its lines may
/// have been broken anew: the whole screen is cleared then (`ED`, `CUP`).
package struct LiveScreen: Sendable {
    /// True if standard output is a terminal that can be redrawn.
    package let isTerminal: Bool
    private let isColoured: Bool
    private var drawn: [String] = []
    private var drawnSize: TerminalSize?

    /// A screen on standard output.
    package init() {
        let environment = ProcessInfo.processInfo.environment
        isTerminal = isatty(STDOUT_FILENO) == 1 && environment["TERM"] != "dumb"
        isColoured = isTerminal && Self.wantsColours(environment)
    }

    /// A screen with given properties, for tests.
    init(isTerminal: Bool, isColoured: Bool = false) {
        self.isTerminal = isTerminal
        self.isColoured = isColoured
    }

    /// True if the reader wants colours: `NO_COLOR` is absent or empty (no-color.org).
    static func wantsColours(_ environment: [String: String]) -> Bool {
        environment["NO_COLOR"] ?? "" == ""
    }

    /// The bytes that put `lines` where the last block stands, cut to the size of the terminal. Where lines are left
    /// out, the last one says how many.
    mutating func redraw(_ lines: [StyledLine], size: TerminalSize = .ofOutput) -> String {
        let room = max(1, size.rows - 1)
        var shown = Array(lines.prefix(lines.count > room ? room - 1 : room))
        if lines.count > room { shown.append(StyledLine("… and \(lines.count - shown.count) more", .faint)) }
        let lines = shown.map { $0.text(columns: size.columns, isColoured: isColoured) }
        var text = drawn.isEmpty ? "" : "\u{1b}[\(drawn.count)A"
        if let drawnSize, drawnSize != size { (text, drawn) = ("\u{1b}[2J\u{1b}[H", []) }
        for (index, line) in lines.enumerated() {
            text += drawn.indices.contains(index) && drawn[index] == line ? "\n" : "\r\u{1b}[2K\(line)\n"
        }
        let surplus = drawn.count - lines.count
        if surplus > 0 { text += String(repeating: "\u{1b}[2K\n", count: surplus) + "\u{1b}[\(surplus)A" }
        (drawn, drawnSize) = (lines, size)
        return text
    }
}

/// The size of a terminal, in cells.
struct TerminalSize: Equatable {
    let rows: Int
    let columns: Int

    /// The size of standard output's terminal, or a usual one where it is unknown.
    static var ofOutput: TerminalSize {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else {
            return TerminalSize(rows: 40, columns: 120)
        }
        return TerminalSize(rows: Int(size.ws_row), columns: Int(size.ws_col))
    }
}

/// A line of a terminal, and how it stands out. Its words are as clear without colours.
struct StyledLine: Equatable {
    /// The emphasis of a line; each has an ECMA-48 rendition (`SGR`).
    enum Style: String {
        case plain = ""
        case heading = "1"
        case faint = "2"
        case cycling = "36"
        case walking = "32"
        case running = "33"
        case driving = "35"
    }

    let words: String
    let style: Style

    init(_ words: String, _ style: Style = .plain) {
        self.words = words
        self.style = style
    }

    /// The bytes for a terminal that is so wide.
    func text(columns: Int, isColoured: Bool) -> String {
        let cut = TextWidth.cut(TextWidth.printable(words), columns: columns)
        return isColoured && style != .plain ? "\u{1b}[\(style.rawValue)m\(cut)\u{1b}[0m" : cut
    }
}

/// A line on standard error that shows how far a long task has come; nothing where standard error is no terminal.
package struct ProgressLine: Sendable {
    private let total: Int?
    private let isShown: Bool
    private var done = 0

    /// A progress line for a task whose number of parts may be unknown; not wanted where the task itself writes to the
    /// terminal.
    package init(total: Int? = nil, isWanted: Bool = true) {
        self.total = total
        isShown = isWanted && isatty(STDERR_FILENO) == 1
    }

    /// Shows which part is done next.
    package mutating func show(_ name: String) {
        done += 1
        write((total.map { "\(done)/\($0) " } ?? "") + TextWidth.printable(name))
    }

    /// Takes the line away.
    package func clear() {
        write("")
    }

    private func write(_ text: String) {
        guard isShown else { return }
        Output.error("\r\u{1b}[2K" + text)
    }
}
