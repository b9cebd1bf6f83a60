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
    private let frames = WaitingFrames()
    private let maximumFrames: Int
    private let sending: Task<Void, Never>

    /// How often ``flush()`` looks whether nothing waits, in milliseconds.
    private static let lookMilliseconds = 20

    /// Makes a queue, which sends in the background.
    ///
    /// - Parameters:
    ///   - publisher: the connection to the broker. Its owner closes it, after the queue.
    ///   - maximumFrames: the maximum number of waiting frames; an hour of one frame a second unless given.
    public init(publisher: MotionPublisher, maximumFrames: Int = 3_600) {
        self.maximumFrames = maximumFrames
        sending = Task { [frames] in await frames.send(through: publisher) }
    }

    deinit {
        frames.end(MotionQueueError.closed)
        sending.cancel()
    }

    /// The boot of frames that this queue numbers. Every queue has a new one.
    var boot: BootID { frames.boot }

    /// The number of frames by outcome.
    public var counts: MotionQueueCounts { frames.state.withLock(\.counts) }

    /// Adds a frame, which is sent in the background, and returns.
    ///
    /// A frame without a number gets the queue's boot and 0, 1, 2 … for each device. A frame with a boot and a number
    /// keeps them.
    ///
    /// - Throws: `MotionQueueError`.
    public func add(
        _ frame: Frame, of device: DeviceID, form: MotionPublisher.Form = .protobuf
    ) throws(MotionQueueError) {
        try frames.state.withLock { state throws(MotionQueueError) in
            if state.end as? MotionQueueError == .closed { throw .closed }
            var frame = frame
            if case .unsequenced = frame.identity {
                let number = state.numbers[device] ?? 0
                frame.identity = .sequenced(boot: frames.boot, sequence: number)
                state.numbers[device] = number &+ 1
            }
            let payload = form.payload(of: frame)
            guard payload.count <= FrameLimits.maximumPayloadBytes else { throw .frameTooLarge(bytes: payload.count) }
            guard state.counts.waitingFrames < maximumFrames else {
                state.counts.refusedFrames += 1
                throw .full
            }
            state.counts.waitingFrames += 1
            frames.adding.yield((device, payload))
        }
    }

    /// Returns when nothing waits.
    ///
    /// - Throws: `MQTTError` if the connection has ended for good, `MotionQueueError.closed` if the queue is closed
    ///   meanwhile, or `CancellationError`.
    public func flush() async throws {
        while true {
            let (isEmpty, end) = frames.state.withLock { ($0.counts.waitingFrames == 0, $0.end) }
            if let end { throw end }
            if isEmpty { return }
            try await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
        }
    }

    /// Stops sending; frames that wait are lost.
    public func close() async {
        frames.end(MotionQueueError.closed)
        sending.cancel()
        await sending.value
    }
}

/// The frames of a queue by outcome: every added frame waits, or is acknowledged, refused or rejected.
public struct MotionQueueCounts: Sendable, Hashable {
    /// Frames that wait for the broker.
    public internal(set) var waitingFrames = 0
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
    /// The queue was closed.
    case closed

    /// One line: the problem and its remedy.
    public var description: String {
        switch self {
        case .full: "the queue is full: wait until the broker is reached, or give it more room"
        case .frameTooLarge(let bytes): "a frame of \(bytes) bytes is too large: send fewer samples in one"
        case .closed: "the queue was closed: make a new one"
        }
    }
}

/// The frames that wait, shared by the callers and the sending task.
private final class WaitingFrames: Sendable {
    typealias Waiting = (device: DeviceID, payload: [UInt8])

    struct State {
        var counts = MotionQueueCounts()
        /// The next number of each device.
        var numbers: [DeviceID: UInt64] = [:]
        /// Why nothing more is sent.
        var end: (any Error)?
    }

    /// The most frames sent together: the in-flight window of a producer.
    private static let maximumBatch = 200
    /// The first and the longest wait before refused frames are sent again, in seconds. The wait doubles each time.
    private static let waitSeconds = 0.5...60.0

    /// 53 random bits, which every reader of JSON takes.
    let boot = BootID(rawValue: .random(in: 1...1 << 53))
    let state = Mutex(State())
    let adding: AsyncStream<Waiting>.Continuation
    private let added: AsyncStream<Waiting>

    init() { (added, adding) = AsyncStream.makeStream() }

    /// Sends until the queue is closed or the connection has ended for good.
    func send(through publisher: MotionPublisher) async {
        // Until the broker of this connection has had somebody to give a frame to, the first is sent alone. Otherwise a
        // subscription that is made amid many would get the last of them first.
        var isRead = false
        var wait = Self.waitSeconds.lowerBound
        var batch: [Waiting] = []
        for await frame in added {
            batch.append(frame)
            // Those that wait behind it go with it.
            if isRead, batch.count < min(Self.maximumBatch, waitingCount) { continue }
            while !batch.isEmpty {
                let part = isRead && publisher.isConnected ? batch : [batch[0]]
                do {
                    try await publisher.send(part)
                    (isRead, wait) = (true, Self.waitSeconds.lowerBound)
                    note(part.count) { $0.acknowledgedFrames += UInt64(part.count) }
                    batch.removeFirst(part.count)
                } catch let error as MQTTError where error.code == .payloadTooLarge {
                    isRead = false
                    guard part.count == 1 else { continue }
                    note(1) { $0.rejectedFrames += 1 }
                    batch.removeFirst()
                } catch is MQTTError where !publisher.isEnded {
                    isRead = false
                    guard (try? await Task.sleep(for: .seconds(wait))) != nil else { return }
                    wait = min(wait * 2, Self.waitSeconds.upperBound)
                } catch { return end(error) }
            }
        }
    }

    private var waitingCount: Int { state.withLock(\.counts.waitingFrames) }

    private func note(_ count: Int, _ outcome: (inout MotionQueueCounts) -> Void) {
        state.withLock { state in
            state.counts.waitingFrames -= count
            outcome(&state.counts)
        }
    }

    /// The first end stays, but for that of the queue itself.
    func end(_ error: any Error) {
        state.withLock { $0.end = $0.end as? MotionQueueError ?? error }
        adding.finish()
    }
}
