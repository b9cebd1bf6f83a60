import Foundation

/// A line on standard error that says how far a long task has come; nothing where standard error is no terminal.
struct ProgressLine {
    private let total: Int?
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var done = 0

    /// A line for a task of so many parts, or of nobody knows how many.
    init(total: Int? = nil) {
        self.total = total
    }

    /// Says what is done next.
    mutating func show(_ name: String) {
        done += 1
        write("\r\u{1b}[2K" + (total.map { "\(done)/\($0) " } ?? "") + name)
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
