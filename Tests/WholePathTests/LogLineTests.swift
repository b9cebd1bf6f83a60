import Logging
import Testing

@testable import stridebus

@Suite("Log lines in the journal")
struct JournalLogTests {
    @Test("Each line of an event has its level, and no time", arguments: [(Logger.Level.error, "<3>"), (.info, "<6>")])
    func lines(level: Logger.Level, prefix: String) {
        let event = LogEvent(
            level: level, message: "two\nlines", metadata: nil, source: "test", file: "", function: "", line: 0)
        let lines = JournalLogHandler.lines(of: event, metadata: ["b": "2", "a": "1"])
        #expect(lines == "\(prefix)two\n\(prefix)lines a=1 b=2\n")
    }
}
