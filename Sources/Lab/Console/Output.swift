import Glibc
import Synchronization

/// Writes whole texts to the standard streams, at once and without a buffer in between.
///
/// Texts of the bus, such as names and problems, may be anybody's. A line is only shown, never obeyed: what a terminal
/// would do something at, and what would begin another line, is replaced.
package enum Output {
    /// Writes a text of our own, which may move the cursor, to standard output.
    package static func write(_ text: String) { write(text, to: STDOUT_FILENO) }

    /// Writes a line to standard output.
    package static func line(_ text: String) { write(TextWidth.printable(text) + "\n", to: STDOUT_FILENO) }

    /// Writes JSON as a line to standard output, with the same value: what a terminal would obey is written as `\u009b`.
    package static func json(_ json: [UInt8]) {
        let text = String(decoding: json, as: UTF8.self)
        guard text.unicodeScalars.contains(where: TextWidth.isObeyed) else { return write(text + "\n") }
        var escaped = ""
        for scalar in text.unicodeScalars {
            guard TextWidth.isObeyed(scalar) else {
                escaped.unicodeScalars.append(scalar)
                continue
            }
            let digits = String(scalar.value, radix: 16)
            escaped += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }
        write(escaped + "\n")
    }

    /// Writes a text of our own to standard error.
    package static func error(_ text: String) { write(text, to: STDERR_FILENO) }

    /// Writes a line to standard error.
    package static func errorLine(_ text: String) { write(TextWidth.printable(text) + "\n", to: STDERR_FILENO) }

    /// Writes what went wrong, which may be several lines, to standard error.
    package static func errorLines(_ text: String) {
        text.split(separator: "\n", omittingEmptySubsequences: false).forEach { errorLine(String($0)) }
    }

    /// Throws if not all that was written to standard output has got there: on a full disk, or into a pipe that nobody
    /// reads. A program that goes on for long asks now and then, and each asks at its end.
    package static func check() throws(OutputError) {
        let error = firstError.load(ordering: .relaxed)
        if error != 0 { throw OutputError(code: error) }
    }

    /// Returns when nobody reads standard output any more, as after `| head -1`, whether something is written or not.
    package static func untilNobodyReads() async throws {
        while true {
            // A pipe whose reader has gone has an error, and is asked about nothing else (poll(2)).
            var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            let isGone = poll(&output, 1, 0) > 0 && Int32(output.revents) & (POLLERR | POLLNVAL) != 0
            if isGone || firstError.load(ordering: .relaxed) == EPIPE { throw NobodyReads() }
            try await Task.sleep(for: .milliseconds(lookMilliseconds))
        }
    }

    private static let lookMilliseconds = 200

    /// The first error of standard output; 0 for none.
    private static let firstError = Atomic<Int32>(0)

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else {
                if descriptor == STDOUT_FILENO {
                    _ = firstError.compareExchange(expected: 0, desired: errno, ordering: .relaxed)
                }
                return
            }
            rest = rest.dropFirst(written)
        }
    }
}

/// Whoever read standard output has had enough: no error, and nothing more to do.
package struct NobodyReads: Error {}

/// Standard output ends short.
package struct OutputError: Error, CustomStringConvertible {
    /// The number of the system's error.
    package let code: Int32

    package var description: String {
        "the output ends short: \(String(cString: strerror(code))); what was printed is not all there is"
    }
}

/// Numbers as people read them in a table.
package enum DecimalText {
    /// A number with a fixed count of decimals (0 to 6), rounded half away from zero; `–` where it is not finite.
    package static func fixed(_ value: Double, decimals: Int) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "–" }
        let digits = min(max(decimals, 0), 6)
        let scale = (0..<digits).reduce(1.0) { power, _ in power * 10 }
        let scaled = Int64((abs(value) * scale).rounded())
        let whole = scaled / Int64(scale)
        let sign = value < 0 && scaled != 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(whole)" }
        let fraction = String(scaled % Int64(scale))
        return "\(sign)\(whole)." + String(repeating: "0", count: digits - fraction.count) + fraction
    }

    /// The same, and nothing where there is none.
    package static func text(_ value: Double?, decimals: Int) -> String {
        value.map { fixed($0, decimals: decimals) } ?? ""
    }

    /// `84.0 rpm` or `110.0 spm`, or a dash where there is neither.
    package static func cadence(rpm: Double?, spm: Double?) -> String {
        rpm.map { "\(fixed($0, decimals: 1)) rpm" } ?? spm.map { "\(fixed($0, decimals: 1)) spm" } ?? "–"
    }

    /// Seconds as `1:02:03`, hours first however few they are: `2:03` could be hours and minutes.
    package static func clock(seconds: Double) -> String {
        guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "–" }
        let total = Int(seconds.rounded())
        return "\(total / 3600):\(padded(total / 60 % 60)):\(padded(total % 60))"
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

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
