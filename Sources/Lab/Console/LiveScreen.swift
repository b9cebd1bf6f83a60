#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A block of lines that is redrawn in place on a terminal, and left out in a pipe.
///
/// The cursor moves up over the block drawn before and each line is cleared as it is written again (ECMA-48 `CUU` and
/// `EL`), so nothing flickers and what was above stays.
package struct LiveScreen: Sendable {
    /// Whether standard output is a terminal.
    package let isTerminal: Bool
    private var drawnLines = 0

    /// A screen on standard output.
    package init() {
        isTerminal = isatty(STDOUT_FILENO) == 1
    }

    /// A screen that does as told, for tests.
    package init(isTerminal: Bool) {
        self.isTerminal = isTerminal
    }

    /// The bytes that put `lines` where the last block stands.
    package mutating func redraw(_ lines: [String], rows: Int = LiveScreen.terminalRows) -> String {
        let shown = lines.prefix(max(1, rows - 1))
        var text = drawnLines > 0 ? "\u{1b}[\(drawnLines)A" : ""
        for line in shown { text += "\r\u{1b}[2K\(line)\n" }
        let surplus = drawnLines - shown.count
        if surplus > 0 { text += String(repeating: "\u{1b}[2K\n", count: surplus) + "\u{1b}[\(surplus)A" }
        drawnLines = shown.count
        return text
    }

    /// The height of the terminal, or a usual one where it cannot be told.
    package static var terminalRows: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return 40 }
        return Int(size.ws_row)
    }
}

/// A line on standard error that says how far a long task has come; nothing where standard error is no terminal.
package struct ProgressLine: Sendable {
    private let total: Int?
    private let isShown: Bool
    private var done = 0

    /// A progress line for a task whose number of parts may be unknown.
    ///
    /// - Parameters:
    ///   - total: the number of parts.
    ///   - isWanted: whether it is shown at all; not where the task itself writes to the terminal.
    package init(total: Int? = nil, isWanted: Bool = true) {
        self.total = total
        isShown = isWanted && isatty(STDERR_FILENO) == 1
    }

    /// Says which part is done next.
    package mutating func show(_ name: String) {
        done += 1
        write((total.map { "\(done)/\($0) " } ?? "") + name)
    }

    /// Says how much is done, 0 to 1.
    package func show(share: Double, _ name: String) {
        write(Self.text(share: share, name))
    }

    /// Takes the line away.
    package func clear() {
        write("")
    }

    /// A bar, a percentage and a name; what is not from 0 to 1 is taken as the nearer of the two.
    package static func text(share: Double, _ name: String) -> String {
        let share = share.isFinite ? min(max(share, 0), 1) : 0
        let filled = Int(share * Double(barCells))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: barCells - filled)
        // Rounded down: 100 % is when it is done.
        return "\(bar) \(Int(share * 100)) % \(name)"
    }

    private static let barCells = 20

    private func write(_ text: String) {
        guard isShown else { return }
        Output.error("\r\u{1b}[2K" + text)
    }
}

/// A row of numbers as a row of bars, one character each.
package enum Sparkline {
    private static let bars: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    private static let nothing: Character = "·"

    /// The bars of `values`, scaled to the largest; nothing and everything below 0 is a dot.
    package static func text(_ values: [Double]) -> String {
        let largest = values.filter(\.isFinite).max() ?? 0
        return String(values.map { bar($0, ofLargest: largest) })
    }

    /// The bar of a value, where the largest of all is another.
    package static func bar(_ value: Double, ofLargest largest: Double) -> Character {
        guard largest > 0, value.isFinite, value > 0 else { return nothing }
        return bars[min(bars.count - 1, Int(value / largest * Double(bars.count)))]
    }
}
