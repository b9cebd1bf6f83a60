public import Wire

/// Frames on their way to the bus, kept in a file until the broker has them.
///
/// A frame that was added survives the end of the app: the next opening of the file sends it with the same boot and
/// number, after those before it and before those added later. One that the broker had already, but of which the file
/// did not know it, is sent twice, and counted once because of its number.
///
/// When the queue is full the newest frames are refused, not the oldest dropped: an old one may be with the broker
/// already, and then it would be reported as lost and be counted. A refused frame was never sent. Its number is not given
/// to another, so the counter reports the gap as `missing` on the device's health, and `counts` has it here.
public final class MotionQueue: Sendable {
    /// The most devices whose frames one queue numbers.
    public static let maximumDevices = 10_000

    private let store: QueueStore
    private let sending: Task<Void, Never>

    /// Opens a queue and begins to send what waits in it.
    ///
    /// - Parameters:
    ///   - configuration: where the queue is kept, and how much of it.
    ///   - publisher: the way to the broker; its owner closes it, after the queue.
    /// - Throws: `MotionQueueError`.
    public init(
        _ configuration: MotionQueueConfiguration, publisher: MotionPublisher
    ) throws(MotionQueueError) {
        let store = try QueueStore(configuration, boot: FrameNumbering.newBoot())
        self.store = store
        let sender = QueueSender(store: store, publisher: publisher)
        sending = Task { await sender.run() }
    }

    deinit {
        store.close()
        sending.cancel()
    }

    /// The boot of the frames that are numbered here; another one whenever a queue is opened.
    public var boot: BootID { store.boot }

    /// The number of frames by outcome.
    public var counts: MotionQueueCounts { store.counts }

    /// Why the last attempt to send, or to note what was sent, failed; nil when it went well. Frames that a broker
    /// refuses for another reason than their size stay: a right that is missing may be given.
    public var trouble: (any Error)? { store.trouble }

    /// Takes frames into the queue and returns when they are in the file; they are sent in the background.
    ///
    /// A frame without a number is given one: the queue's boot, and 0, 1, 2 … for each device. One that has a boot and
    /// a number keeps them. Give no frame twice.
    ///
    /// - Throws: `MotionQueueError`.
    public func add(
        _ frames: [(device: DeviceID, frame: Frame)], form: MotionPublisher.Form = .protobuf
    ) throws(MotionQueueError) {
        try store.add(frames, form)
    }

    /// Takes a frame into the queue; see ``add(_:form:)``.
    public func add(
        _ frame: Frame, of device: DeviceID, form: MotionPublisher.Form = .protobuf
    ) throws(MotionQueueError) {
        try store.add([(device, frame)], form)
    }

    /// Returns when the broker has all that was added before.
    ///
    /// - Throws: `MQTTError` when the connection has ended for good, after which frames can still be added but nothing is
    ///   sent until the queue is opened with another publisher; `MotionQueueError.closed` when the queue is closed
    ///   meanwhile; `CancellationError`. The file keeps what waits in any case.
    public func flush() async throws {
        try await store.flush()
    }

    /// Stops sending and lets go of the file, which keeps what waits.
    public func close() async {
        store.close()
        sending.cancel()
        await sending.value
    }
}

/// The file of a queue of frames, and its limits.
public struct MotionQueueConfiguration: Sendable, Hashable {
    /// The failures that an added frame survives.
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
    /// The failures that an added frame survives.
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

/// The frames of a queue by outcome.
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
    /// that the counter reports it as `missing` on the device's health.
    public internal(set) var refusedFrames: UInt64 = 0
    /// Frames that the broker will never take because they are too large for it, in all the life of the file.
    public internal(set) var rejectedFrames: UInt64 = 0
    /// The bytes at the end of the file that could not be read when it was opened: a frame whose writing was cut off,
    /// which `add` therefore never returned for, or damage.
    public internal(set) var discardedBytes = 0
}

/// Why a queue of frames cannot be opened, or did not take a frame.
public enum MotionQueueError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no room: so many frames of the call were refused. The others are in the queue.
    case full(refusedFrames: Int)
    /// A frame is larger than any that is counted; none of the call is in the queue.
    case frameTooLarge(bytes: Int)
    /// More devices than `MotionQueue.maximumDevices` send through one queue; no frame of the call is in it.
    case tooManyDevices
    /// Another queue, of this process or another, has the file.
    case inUse(path: String)
    /// The file is something else, or of a version that is not known.
    case notAQueue(path: String)
    /// The operating system says no. Where a frame could not be written, it and those after it were refused.
    case system(operation: String, path: String, code: Int32)
    /// The queue was closed.
    case closed

    /// One line that says what is wrong and what to do.
    public var description: String {
        switch self {
        case .full(let refused):
            "\(refused) frames refused: the queue is full; wait until the broker is reached, or give it more room"
        case .frameTooLarge(let bytes): "a frame of \(bytes) bytes is too large: send fewer samples in one"
        case .tooManyDevices: "more than \(MotionQueue.maximumDevices) devices in one queue: open a second"
        case .inUse(let path): "\(path) is in use by another queue: close that one, or take another file"
        case .notAQueue(let path): "\(path) is no queue of frames of this version: take another file"
        case .system(let operation, let path, let code):
            "cannot \(operation) \(path): \(SystemFile.words(of: code))"
        case .closed: "the queue was closed: open it again"
        }
    }
}
