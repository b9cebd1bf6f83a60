import MQTT
import Synchronization
public import Wire

/// A bounded queue of frames in memory: it numbers them, and sends them while there is a connection.
///
/// A tunnel or a broker that restarts loses nothing: frames wait, in their order. The end of the app loses what waits.
///
/// A full queue refuses new frames and drops no old ones: an old frame may be with the broker already, and would be
/// reported as lost and still be counted. A refused frame uses up its number, so that the counter reports it as missing on
/// the device's health.
public final class MotionQueue: Sendable {
    /// The maximum number of devices whose frames one queue numbers.
    static let maximumDevices = 10_000

    private let frames: WaitingFrames
    private let sending: Task<Void, Never>

    /// Makes a queue, which sends in the background.
    ///
    /// - Parameters:
    ///   - publisher: the connection to the broker. Its owner closes it, after the queue.
    ///   - maximumFrames: the maximum number of waiting frames; an hour of one frame a second unless given.
    ///   - maximumBytes: the maximum size of waiting frames, in bytes.
    public init(publisher: MotionPublisher, maximumFrames: Int = 3_600, maximumBytes: Int = 8_388_608) {
        let frames = WaitingFrames(maximumFrames: maximumFrames, maximumBytes: maximumBytes)
        self.frames = frames
        sending = Task { await frames.send(through: publisher) }
    }

    deinit {
        frames.close()
        sending.cancel()
    }

    /// The boot of frames that this queue numbers. Every queue has a new one.
    var boot: BootID { frames.boot }

    /// The number of frames by outcome.
    public var counts: MotionQueueCounts { frames.counts }

    /// Adds a frame, which is sent in the background, and returns.
    ///
    /// A frame without a number gets the queue's boot and 0, 1, 2 … for each device. A frame with a boot and a number
    /// keeps them.
    ///
    /// - Throws: `MotionQueueError`.
    public func add(
        _ frame: Frame, of device: DeviceID, form: MotionPublisher.Form = .protobuf
    ) throws(MotionQueueError) {
        try frames.add(frame, of: device, form)
    }

    /// Returns when nothing waits.
    ///
    /// - Throws: `MQTTError` if the connection has ended for good, `MotionQueueError.closed` if the queue is closed
    ///   meanwhile, or `CancellationError`.
    public func flush() async throws {
        for await _ in frames.changes() {
            if try frames.areSent() { return }
        }
        try Task.checkCancellation()
        throw MotionQueueError.closed
    }

    /// Stops sending; frames that wait are lost.
    public func close() async {
        frames.close()
        sending.cancel()
        await sending.value
    }
}

/// The frames of a queue by outcome: every added frame waits, or is acknowledged, refused or rejected.
public struct MotionQueueCounts: Sendable, Hashable {
    /// Frames that wait for the broker.
    public internal(set) var waitingFrames = 0
    /// The size of the waiting frames, in bytes.
    public internal(set) var waitingBytes = 0
    /// Frames that the broker has acknowledged.
    public internal(set) var acknowledgedFrames: UInt64 = 0
    /// Frames refused for lack of room.
    public internal(set) var refusedFrames: UInt64 = 0
    /// Frames rejected because they are too large for the broker.
    public internal(set) var rejectedFrames: UInt64 = 0
}

/// The reason why a queue did not accept a frame.
public enum MotionQueueError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The queue is full.
    case full
    /// The frame is larger than the counter accepts.
    case frameTooLarge(bytes: Int)
    /// More devices than `MotionQueue.maximumDevices` use one queue.
    case tooManyDevices
    /// The queue was closed.
    case closed

    /// One line: the problem and its remedy.
    public var description: String {
        switch self {
        case .full: "the queue is full: wait until the broker is reached, or give it more room"
        case .frameTooLarge(let bytes): "a frame of \(bytes) bytes is too large: send fewer samples in one"
        case .tooManyDevices: "more than \(MotionQueue.maximumDevices) devices in one queue: open a second"
        case .closed: "the queue was closed: make a new one"
        }
    }
}

/// The frames that wait, shared by the callers and the sending task.
private final class WaitingFrames: Sendable {
    fileprivate struct State {
        /// Oldest first.
        var waiting: [(device: DeviceID, payload: [UInt8])] = []
        var counts = MotionQueueCounts()
        /// The next number of each device.
        var numbers: [DeviceID: UInt64] = [:]
        /// Why nothing more is sent.
        var end: (any Error)?
        /// Those who want to know of each change.
        var listeners: [AsyncStream<Void>.Continuation] = []
    }

    /// The most frames sent together: the in-flight window of a producer.
    private static let maximumBatch = 200
    /// The first and the longest wait before refused frames are sent again, in seconds. The wait doubles each time.
    private static let waitSeconds = 0.5...60.0

    /// 53 random bits, which every reader of JSON takes.
    let boot = BootID(rawValue: .random(in: 1...1 << 53))
    private let maximumFrames: Int
    private let maximumBytes: Int
    private let state = Mutex(State())

    init(maximumFrames: Int, maximumBytes: Int) {
        (self.maximumFrames, self.maximumBytes) = (maximumFrames, maximumBytes)
    }

    var counts: MotionQueueCounts { state.withLock(\.counts) }

    /// An element now and after each change; ends when the queue is closed.
    func changes() -> AsyncStream<Void> {
        let (stream, listener) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { state in
            listener.yield()
            if state.end as? MotionQueueError == .closed { listener.finish() } else { state.listeners.append(listener) }
        }
        return stream
    }

    /// Whether nothing waits; throws where what waits is never sent.
    func areSent() throws -> Bool {
        try state.withLock { state in
            if let end = state.end { throw end }
            return state.waiting.isEmpty
        }
    }

    func add(_ frame: Frame, of device: DeviceID, _ form: MotionPublisher.Form) throws(MotionQueueError) {
        try state.withLock { state throws(MotionQueueError) in
            if state.end as? MotionQueueError == .closed { throw .closed }
            var frame = frame
            if case .unsequenced = frame.identity {
                guard let number = state.numbers[device] ?? (state.numbers.count < MotionQueue.maximumDevices ? 0 : nil)
                else { throw .tooManyDevices }
                frame.identity = .sequenced(boot: boot, sequence: number)
                state.numbers[device] = number &+ 1
            }
            let payload = form.payload(of: frame)
            guard payload.count <= FrameLimits.maximumPayloadBytes else { throw .frameTooLarge(bytes: payload.count) }
            let hasRoom =
                state.waiting.count < maximumFrames && state.counts.waitingBytes + payload.count <= maximumBytes
            guard hasRoom else {
                state.counts.refusedFrames += 1
                throw .full
            }
            state.waiting.append((device, payload))
            state.counts.waitingFrames += 1
            state.counts.waitingBytes += payload.count
            state.tell()
        }
    }

    func close() { end(MotionQueueError.closed) }

    /// Sends until the queue is closed or the connection has ended for good.
    func send(through publisher: MotionPublisher) async {
        // Until the broker of this connection has had somebody to give a frame to, the first is sent alone. Otherwise a
        // subscription that is made amid many would get the last of them first.
        var isRead = false
        var wait = Self.waitSeconds.lowerBound
        for await _ in changes() {
            while let batch = next(atMost: isRead && publisher.isConnected ? Self.maximumBatch : 1) {
                do {
                    try await publisher.send(batch)
                    (isRead, wait) = (true, Self.waitSeconds.lowerBound)
                    remove(batch.count, isAcknowledged: true)
                } catch let error as MQTTError where error.code == .payloadTooLarge {
                    if batch.count == 1 { remove(1, isAcknowledged: false) } else { isRead = false }
                } catch is MQTTError where !publisher.isEnded {
                    isRead = false
                    guard (try? await Task.sleep(for: .seconds(wait))) != nil else { return }
                    wait = min(wait * 2, Self.waitSeconds.upperBound)
                } catch { return end(error) }
            }
        }
    }

    private func next(atMost count: Int) -> [(device: DeviceID, payload: [UInt8])]? {
        state.withLock { state in
            state.end != nil || state.waiting.isEmpty ? nil : Array(state.waiting.prefix(count))
        }
    }

    private func remove(_ count: Int, isAcknowledged: Bool) {
        state.withLock { state in
            state.counts.waitingBytes -= state.waiting.prefix(count).reduce(0) { $0 + $1.payload.count }
            state.waiting.removeFirst(count)
            state.counts.waitingFrames -= count
            if isAcknowledged {
                state.counts.acknowledgedFrames += UInt64(count)
            } else {
                state.counts.rejectedFrames += UInt64(count)
            }
            state.tell()
        }
    }

    private func end(_ error: any Error) {
        state.withLock { state in
            state.end = state.end as? MotionQueueError ?? error
            state.tell()
            guard state.end as? MotionQueueError == .closed else { return }
            for listener in state.listeners { listener.finish() }
        }
    }
}

extension WaitingFrames.State {
    fileprivate mutating func tell() {
        listeners.removeAll { if case .terminated = $0.yield() { true } else { false } }
    }
}
