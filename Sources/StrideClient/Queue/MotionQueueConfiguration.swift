/// Where a queue of frames is kept, and how much of it.
public struct MotionQueueConfiguration: Sendable, Hashable {
    /// What an added frame survives.
    public enum Durability: Sendable, Hashable {
        /// The death of the app, however it comes: a frame is with the operating system when `add` returns. A power cut
        /// may take what was added in the last seconds before it, as long as the system takes to write (30 s on Linux).
        case appDeath
        /// A power cut as well: `add` returns when the disk has the frame (`fdatasync`), which takes milliseconds and
        /// wears flash memory.
        case powerCut
    }

    /// The file; beside it lie `PATH.lock` and, for moments, `PATH.new`.
    public var path: String
    /// What an added frame survives.
    public var durability: Durability
    /// The most frames that wait.
    public var maximumFrames: Int
    /// The most bytes that the waiting frames take in the file. The file itself may be as large again, and a mebibyte,
    /// before what has been sent is cut out of it.
    public var maximumBytes: Int

    /// A queue in a file.
    ///
    /// - Parameters:
    ///   - path: the file, made when it is not there; its directory must be.
    ///   - durability: what an added frame survives.
    ///   - maximumFrames: the most frames that wait: by default more than a day of one device's, a frame a second.
    ///   - maximumBytes: the most bytes that they take: by default 64 MiB.
    public init(
        path: String, durability: Durability = .appDeath, maximumFrames: Int = 100_000,
        maximumBytes: Int = 67_108_864
    ) {
        self.path = path
        self.durability = durability
        self.maximumFrames = maximumFrames
        self.maximumBytes = maximumBytes
    }
}
