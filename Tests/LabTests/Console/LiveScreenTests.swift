@testable import Lab
import Testing

@Suite("A block of lines that is redrawn in place")
struct LiveScreenTests {
    @Test("A second drawing moves up over the first and clears what is left of it")
    func redraw() {
        var screen = LiveScreen(isTerminal: true)
        #expect(screen.redraw(lines("a", "b"), size: size) == "\r\u{1b}[2Ka\n\r\u{1b}[2Kb\n")
        #expect(screen.redraw(lines("c"), size: size) == "\u{1b}[2A\r\u{1b}[2Kc\n\u{1b}[2K\n\u{1b}[1A")
    }

    @Test("Only the lines that differ are written again")
    func changedLines() {
        var screen = LiveScreen(isTerminal: true)
        _ = screen.redraw(lines("a", "b", "c"), size: size)
        #expect(screen.redraw(lines("a", "d", "c"), size: size) == "\u{1b}[3A\n\r\u{1b}[2Kd\n\n")
    }

    @Test("A block taller than the terminal is cut and says how much is left out")
    func cutLines() {
        var screen = LiveScreen(isTerminal: true)
        let text = screen.redraw(lines("a", "b", "c"), size: TerminalSize(rows: 3, columns: 80))
        #expect(text == "\r\u{1b}[2Ka\n\r\u{1b}[2K… and 2 more\n")
    }

    @Test("A line wider than the terminal is cut, so that it stays one line")
    func cutColumns() {
        var screen = LiveScreen(isTerminal: true)
        let text = screen.redraw(lines("bike-1", "小明小明", "abc"), size: TerminalSize(rows: 9, columns: 4))
        #expect(text == "\r\u{1b}[2Kbik…\n\r\u{1b}[2K小…\n\r\u{1b}[2Kabc\n")
    }

    @Test("After a change of size the screen is cleared, because the terminal has broken the old lines anew")
    func resize() {
        var screen = LiveScreen(isTerminal: true)
        _ = screen.redraw(lines("a", "b"), size: size)
        let text = screen.redraw(lines("a"), size: TerminalSize(rows: 24, columns: 40))
        #expect(text == "\u{1b}[2J\u{1b}[H\r\u{1b}[2Ka\n")
        #expect(screen.redraw(lines("a"), size: TerminalSize(rows: 24, columns: 40)).hasPrefix("\u{1b}[1A"))
    }

    @Test("Lines are coloured where the screen is, and a cut line ends its colour")
    func colours() {
        var plain = LiveScreen(isTerminal: true)
        var coloured = LiveScreen(isTerminal: true, isColoured: true)
        let line = [StyledLine("bike-1 cycling", .cycling)]
        let narrow = TerminalSize(rows: 9, columns: 7)
        #expect(plain.redraw(line, size: narrow) == "\r\u{1b}[2Kbike-1…\n")
        #expect(coloured.redraw(line, size: narrow) == "\r\u{1b}[2K\u{1b}[36mbike-1…\u{1b}[0m\n")
    }

    @Test("NO_COLOR leaves colours out unless it is empty", arguments: [("1", false), ("", true), (nil, true)])
    func noColour(value: String?, isColoured: Bool) {
        #expect(LiveScreen.wantsColours(value.map { ["NO_COLOR": $0] } ?? [:]) == isColoured)
    }

    private let size = TerminalSize(rows: 24, columns: 80)

    private func lines(_ words: String...) -> [StyledLine] { words.map { StyledLine($0) } }
}
