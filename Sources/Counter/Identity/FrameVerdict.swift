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
package struct MessageCounts: Sendable, Equatable {
    /// Counted in order.
    package var accepted: UInt64 = 0
    /// Seen before, not counted again.
    package var duplicate: UInt64 = 0
    /// Counted after later ones.
    package var late: UInt64 = 0
    /// Not counted because they cannot be told from counted ones.
    package var stale: UInt64 = 0
    /// Numbers that never came so far.
    package var missing: UInt64 = 0
    /// Times that the numbers began again within a boot.
    package var restarts: UInt64 = 0
    /// Messages of a boot that went on after a newer boot had begun.
    package var interleaved: UInt64 = 0

    /// Nothing has come.
    package init() {}

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
