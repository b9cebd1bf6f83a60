import Logging
import Testing

@testable import stridebus

@Suite("Lines of the log")
struct LogLineTests {
    @Test(
        "In the journal each line of an event has its level and no time",
        arguments: [(Logger.Level.error, "<3>"), (.info, "<6>")])
    func lines(level: Logger.Level, prefix: String) {
        let event = LogEvent(
            level: level, message: "two\nlines", metadata: nil, source: "test", file: "", function: "", line: 0)
        let lines = LineLogHandler.lines(of: event, metadata: ["b": "2\n<0>", "a": "1"], isJournal: true)
        #expect(lines == "\(prefix)two\n\(prefix)lines a=1 b=2\u{FFFD}<0>")
    }
}
