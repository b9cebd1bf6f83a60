#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A line on standard error that says how far a long task has come; nothing where standard error is no terminal.
public struct ProgressLine: Sendable {
    private let total: Int?
    private let isShown: Bool
    private var done = 0

    /// A line for a task of so many parts, or of nobody knows how many.
    ///
    /// - Parameters:
    ///   - total: the number of parts.
    ///   - isWanted: whether it is shown at all; not where the task itself writes to the terminal.
    public init(total: Int? = nil, isWanted: Bool = true) {
        self.total = total
        isShown = isWanted && isatty(STDERR_FILENO) == 1
    }

    /// Says which part is done next.
    public mutating func show(_ name: String) {
        done += 1
        write((total.map { "\(done)/\($0) " } ?? "") + name)
    }

    /// Says how much is done, 0 to 1.
    public func show(share: Double, _ name: String) {
        write(Self.text(share: share, name))
    }

    /// Takes the line away.
    public func clear() {
        write("")
    }

    /// A bar, a percentage and a name; what is not from 0 to 1 is taken as the nearer of the two.
    public static func text(share: Double, _ name: String) -> String {
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
