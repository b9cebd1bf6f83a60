/// What the identity of a frame says about it.
enum FrameVerdict: Sendable, Equatable {
    /// The next of the running boot: count it now.
    case inOrder
    /// Frames before it have not come: it is kept until they have, or until they are given up.
    case waits
    /// Seen before.
    case duplicate
    /// Not seen before, but frames after it have been counted: count it beside them.
    case late
    /// It cannot be told from one that was counted: its number is too old, and its time is no newer.
    case stale
}

/// What has become of a device's messages since it was first seen. Each message is in exactly one of `accepted`,
/// `duplicate`, `late`, `stale` and `refused`, or still waits.
public struct MessageCounts: Sendable, Equatable {
    /// Counted in order.
    public var accepted: UInt64 = 0
    /// Seen before, not counted again.
    public var duplicate: UInt64 = 0
    /// Counted after later ones.
    public var late: UInt64 = 0
    /// Not counted because they cannot be told from counted ones.
    public var stale: UInt64 = 0
    /// Numbers that never came so far.
    public var missing: UInt64 = 0
    /// Times that the numbers began again within a boot.
    public var restarts: UInt64 = 0
    /// Messages of a boot that went on after a newer boot had begun.
    public var interleaved: UInt64 = 0

    /// Nothing has come.
    public init() {}

    mutating func transfer(_ coder: inout StateCoder) {
        coder.code(&accepted)
        coder.code(&duplicate)
        coder.code(&late)
        coder.code(&stale)
        coder.code(&missing)
        coder.code(&restarts)
        coder.code(&interleaved)
    }
}
