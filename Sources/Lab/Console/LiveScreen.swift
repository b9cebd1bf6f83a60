#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A block of lines that is redrawn in place on a terminal, and left out in a pipe.
///
/// The cursor moves up over the block drawn before and each line is cleared as it is written again (ECMA-48 `CUU` and
/// `EL`), so nothing flickers and what was above stays.
public struct LiveScreen: Sendable {
    /// Whether standard output is a terminal.
    public let isTerminal: Bool
    private var drawnLines = 0

    /// A screen on standard output.
    public init() {
        isTerminal = isatty(STDOUT_FILENO) == 1
    }

    /// A screen that does as told, for tests.
    public init(isTerminal: Bool) {
        self.isTerminal = isTerminal
    }

    /// The bytes that put `lines` where the last block stands.
    public mutating func redraw(_ lines: [String], rows: Int = LiveScreen.terminalRows) -> String {
        let shown = lines.prefix(max(1, rows - 1))
        var text = drawnLines > 0 ? "\u{1b}[\(drawnLines)A" : ""
        for line in shown { text += "\r\u{1b}[2K\(line)\n" }
        let surplus = drawnLines - shown.count
        if surplus > 0 { text += String(repeating: "\u{1b}[2K\n", count: surplus) + "\u{1b}[\(surplus)A" }
        drawnLines = shown.count
        return text
    }

    /// The height of the terminal, or a usual one where it cannot be told.
    public static var terminalRows: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return 40 }
        return Int(size.ws_row)
    }
}
