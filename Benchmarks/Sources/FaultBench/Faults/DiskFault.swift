/// What is wrong with a service's disk.
enum DiskFault: String, CaseIterable, Sendable {
    case full
    case readOnly = "read-only"
    case slow

    /// How much longer a slow disk takes for each wait, in milliseconds.
    static let slowMilliseconds = 400

    /// How a running process is made to see it; `nil` where the disk itself is bad.
    var systemCalls: SystemCallFault? {
        switch self {
        case .full: nil
        case .readOnly: .readOnly
        case .slow: .slow(milliseconds: Self.slowMilliseconds)
        }
    }

    /// Whether no commit can succeed meanwhile.
    var stopsCommits: Bool { self != .slow }
}
