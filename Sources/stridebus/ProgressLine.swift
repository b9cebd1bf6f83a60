import Foundation

/// A line on standard error that says how far a long task has come; nothing where standard error is no terminal.
struct ProgressLine {
    private let total: Int
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var done = 0

    init(total: Int) {
        self.total = total
    }

    /// Says what is done next.
    mutating func show(_ name: String) {
        done += 1
        write("\r\u{1b}[2K\(done)/\(total) \(name)")
    }

    /// Takes the line away.
    func clear() {
        write("\r\u{1b}[2K")
    }

    private func write(_ text: String) {
        guard isTerminal else { return }
        FileHandle.standardError.write(Data(text.utf8))
    }
}
