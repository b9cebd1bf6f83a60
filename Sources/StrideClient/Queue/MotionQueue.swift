public import Wire

/// A queue of frames for the bus, kept in a file until the broker has acknowledged them.
///
/// An added frame survives the end of the app: the next queue on the file sends it in its order, with the same boot and
/// number. A frame that the broker has but the file does not record as sent is sent twice, and counted once because of
/// its number.
///
/// A full queue refuses new frames and drops no old ones: an old frame may be with the broker already, and would be
/// reported as lost and still be counted.
public final class MotionQueue: Sendable {
    /// The maximum number of devices whose frames one queue numbers.
    public static let maximumDevices = 10_000

    private let store: QueueStore
    private let sending: Task<Void, Never>

    /// Opens a queue and starts to send the frames that wait in it.
    ///
    /// - Parameters:
    ///   - configuration: the file of the queue, and its limits.
    ///   - publisher: the connection to the broker. Its owner closes it, after the queue.
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

    /// The boot of frames that this queue numbers. Every opening of a queue has a new one.
    public var boot: BootID { store.boot }

    /// The number of frames by outcome.
    public var counts: MotionQueueCounts { store.counts }

    /// The error of the last attempt to send frames or to record them as sent; nil after a success. Frames that a
    /// broker refuses stay in the queue, because a missing permission may be granted, unless they are too large.
    public var trouble: (any Error)? { store.trouble }

    /// Writes frames to the file of the queue, and returns. They are sent in the background.
    ///
    /// A frame without a number gets the queue's boot and 0, 1, 2 … for each device. A frame with a boot and a number
    /// keeps them. Do not add a frame twice.
    ///
    /// - Throws: `MotionQueueError`.
    public func add(
        _ frames: [(device: DeviceID, frame: Frame)], form: MotionPublisher.Form = .protobuf
    ) throws(MotionQueueError) {
        try store.add(frames, form)
    }

    /// Writes a frame to the file of the queue; see ``add(_:form:)``.
    public func add(
        _ frame: Frame, of device: DeviceID, form: MotionPublisher.Form = .protobuf
    ) throws(MotionQueueError) {
        try store.add([(device, frame)], form)
    }

    /// Returns when every frame added before is acknowledged or rejected.
    ///
    /// - Throws: `MQTTError` if the connection has ended for good: frames can still be added, but are sent only when
    ///   the queue is opened with another publisher. `MotionQueueError.closed` if the queue is closed meanwhile.
    ///   `CancellationError`. The file keeps the waiting frames in any case.
    public func flush() async throws {
        try await store.flush()
    }

    /// Stops sending and releases the file, which keeps the waiting frames.
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
        /// Any end of the app: the operating system has the frame when `add` returns. A power cut may lose the frames
        /// of the last seconds, as long as the system takes to write (30 s on Linux).
        case appDeath
        /// A power cut as well: `add` returns when the disk has the frame (`fdatasync`), which takes milliseconds and
        /// wears flash memory.
        case powerCut
    }

    /// The file. `PATH.lock` and, for short times, `PATH.new` lie beside it.
    public var path: String
    /// The failures that an added frame survives.
    public var durability: Durability
    /// The maximum number of waiting frames.
    public var maximumFrames: Int
    /// The maximum size of the waiting frames in the file, in bytes. The file may grow to twice that size plus 1 MiB
    /// before sent frames are removed from it.
    public var maximumBytes: Int

    /// A queue in a file, which is created if it does not exist; its directory must exist. By default it has room for
    /// over a day of one frame a second, and 64 MiB.
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
/// Every added frame is in exactly one state: waiting, acknowledged, refused or rejected.
public struct MotionQueueCounts: Sendable, Hashable {
    /// Frames that wait for the broker, those of earlier runs of the app included.
    public internal(set) var waitingFrames = 0
    /// The size of the waiting frames in the file, in bytes.
    public internal(set) var waitingBytes = 0
    /// Frames that the broker has acknowledged since the queue was opened.
    public internal(set) var acknowledgedFrames: UInt64 = 0
    /// Frames refused for lack of room, since the file was created. The number of such a frame is not reused, so the
    /// counter reports it as `missing` in the device's health.
    public internal(set) var refusedFrames: UInt64 = 0
    /// Frames rejected because they are too large for the broker, since the file was created.
    public internal(set) var rejectedFrames: UInt64 = 0
    /// Unreadable bytes at the end of the file when it was opened, in bytes: a frame whose write was interrupted, so
    /// that `add` never returned for it, or damage.
    public internal(set) var discardedBytes = 0
}

/// The reason why a queue cannot be opened, or did not accept a frame.
public enum MotionQueueError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The queue is full, and refused `refusedFrames` frames of the call. The others are in the queue.
    case full(refusedFrames: Int)
    /// A frame is larger than the counter accepts. No frame of the call is in the queue.
    case frameTooLarge(bytes: Int)
    /// More devices than `MotionQueue.maximumDevices` use one queue. No frame of the call is in it.
    case tooManyDevices
    /// Another queue, in this or another process, uses the file.
    case inUse(path: String)
    /// The file is not a queue, or has an unknown version.
    case notAQueue(path: String)
    /// A system call failed. If a frame could not be written, it and the frames after it were refused.
    case system(operation: String, path: String, code: Int32)
    /// The queue was closed.
    case closed

    /// One line: the problem and its remedy.
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
