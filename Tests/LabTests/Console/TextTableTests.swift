@testable import Lab
import Testing

@Suite struct TextTableTests {
    @Test("Numbers lean right, words lean left, and no line ends in spaces")
    func alignment() {
        var table = TextTable(columns: [.words("device"), .numbers("rpm"), .words("doing")])
        table.append(["bike-1", "84.0", "cycling"])
        table.append(["b", "9.5", ""])
        #expect(table.lines == ["device   rpm  doing", "bike-1  84.0  cycling", "b        9.5"])
    }

    @Test("A row with too few or too many cells still has the table's columns")
    func raggedRows() {
        var table = TextTable(columns: [.words("a"), .words("b")])
        table.append(["1"])
        table.append(["1", "2", "3"])
        #expect(table.lines == ["a  b", "1", "1  2"])
    }

    @Test("Wide characters take two cells, accents none of their own, and what a terminal would obey is not printed")
    func wideNames() {
        var table = TextTable(columns: [.words("person"), .numbers("steps")])
        table.append(["小明", "8"])
        table.append(["Zoe\u{308}", "10"])
        table.append(["A\u{1b}[2J", "1"])
        #expect(table.lines == ["person  steps", "小明        8", "Zoë        10", "A\u{FFFD}[2J       1"])
    }

    @Test(
        "No text of the bus makes a terminal do something, or begins another line",
        arguments: ["\u{1b}]0;x\u{07}", "\u{9b}31m", "a\nb", "a\r", "\u{202e}cba", "\u{2028}x", "\u{7f}", "\u{0}"])
    func obeyed(text: String) {
        let shown = TextWidth.printable(text)
        #expect(shown.unicodeScalars.count == text.unicodeScalars.count)
        #expect(shown.contains("\u{FFFD}") && !shown.unicodeScalars.contains(where: TextWidth.isObeyed))
    }

    @Test("A week without data is shown day by day, and more than that is one line")
    func emptyRows() {
        let row = { (number: Int, isEmpty: Bool) in (cells: ["day \(number)"], isEmpty: isEmpty) }
        var week = TextTable(columns: [.words("")])
        week.append((1...7).map { row($0, true) })
        #expect(week.lines.count == 8)
        var year = TextTable(columns: [.words("")])
        year.append((1...365).map { row($0, $0 % 200 != 0) })
        #expect(year.lines == ["", "… 199 without data", "day 200", "… 165 without data"])
        #expect(!year.isEmpty && TextTable(columns: []).isEmpty)
    }
}

@Suite struct DecimalTextTests {
    @Test(
        "Decimals are fixed and rounded",
        arguments: [
            (84.04, 1, "84.0"), (0.05, 1, "0.1"), (-0.04, 1, "0.0"), (-1.26, 1, "-1.3"), (12, 0, "12"),
            (.nan, 1, "–"), (.infinity, 0, "–"), (1.05, 2, "1.05"), (0.007, 2, "0.01"),
        ])
    func fixed(value: Double, decimals: Int, text: String) {
        #expect(DecimalText.fixed(value, decimals: decimals) == text)
    }

    @Test("Durations read as a clock", arguments: [(5.0, "0:00:05"), (65, "0:01:05"), (3723, "1:02:03"), (-1, "–")])
    func clock(seconds: Double, text: String) {
        #expect(DecimalText.clock(seconds: seconds) == text)
    }
}

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
