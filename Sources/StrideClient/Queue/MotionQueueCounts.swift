/// What has become of the frames of a queue.
///
/// Every frame that was added is waiting, acknowledged, refused or rejected: nothing else happens to one.
public struct MotionQueueCounts: Sendable, Hashable {
    /// Frames that wait for the broker, those of earlier runs of the app included.
    public internal(set) var waitingFrames = 0
    /// The bytes that they take in the file.
    public internal(set) var waitingBytes = 0
    /// Frames that the broker has taken since the queue was opened.
    public internal(set) var acknowledgedFrames: UInt64 = 0
    /// Frames for which there was no room, in all the life of the file. Each has a number that no other frame gets, so
    /// that the counter tells it as `missing` on the device's health.
    public internal(set) var refusedFrames: UInt64 = 0
    /// Frames that the broker will never take because they are too large for it, in all the life of the file.
    public internal(set) var rejectedFrames: UInt64 = 0
    /// The bytes at the end of the file that could not be read when it was opened: a frame whose writing was cut off,
    /// which `add` therefore never returned for, or damage.
    public internal(set) var discardedBytes = 0
}
