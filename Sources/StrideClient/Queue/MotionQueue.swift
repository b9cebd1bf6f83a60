public import Wire

/// Frames on their way to the bus, kept in a file until the broker has them.
///
/// A frame that was added survives the end of the app: whoever opens the file again sends it with the same boot and
/// number, after those before it and before those added later. One that the broker had already, but of which the file
/// did not know it, is sent twice, and counted once because of its number.
///
/// When the queue is full the newest frames are refused, not the oldest dropped: an old one may be with the broker
/// already, and then it would be told as lost and be counted. A refused frame was never sent. Its number is not given
/// to another, so the counter tells the gap as `missing` on the device's health, and `counts` tells it here.
public final class MotionQueue: Sendable {
    /// The most devices whose frames one queue numbers.
    public static let maximumDevices = 10_000

    private let store: QueueStore
    private let sending: Task<Void, Never>

    /// Opens a queue and begins to send what waits in it.
    ///
    /// - Parameters:
    ///   - configuration: where the queue is kept, and how much of it.
    ///   - publisher: the way to the broker; whoever opened it closes it, after the queue.
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

    /// What has become of the frames.
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
