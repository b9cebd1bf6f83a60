@testable import Lab
import Testing

@Suite("Lines that are redrawn in place")
struct TerminalTests {
    @Test("A second drawing moves up over the first and clears what is left of it")
    func redraw() {
        var screen = LiveScreen()
        #expect(screen.redraw(["a", "b"], rows: 24, columns: 80) == "\r\u{1b}[Ja\nb\n")
        #expect(screen.redraw(["c"], rows: 24, columns: 80) == "\u{1b}[2A\r\u{1b}[Jc\n")
    }

    @Test("What does not fit is cut: too many lines are counted, a wide one stays one line, and none is obeyed")
    func cut() {
        var screen = LiveScreen()
        #expect(screen.redraw(["a", "b", "c"], rows: 3, columns: 80) == "\r\u{1b}[Ja\n… and 2 more\n")
        var narrow = LiveScreen()
        let lines = narrow.redraw(["bike-1", "小明小明", "a\u{1b}"], rows: 9, columns: 4)
        #expect(lines == "\r\u{1b}[Jbik…\n小…\na\u{FFFD}\n")
    }
}
