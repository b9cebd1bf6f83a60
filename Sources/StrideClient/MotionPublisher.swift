public import MQTT
import Synchronization
public import Wire

/// Publishes frames as a device does: on `{device}/imu`, acknowledged by the broker.
///
/// ``MotionQueue`` keeps frames while there is no connection.
public final class MotionPublisher: Sendable {
    /// The wire format of frames.
    public enum Form: String, Sendable, Hashable, CaseIterable {
        /// JSON: readable and exact.
        case json
        /// Compact JSON: for small packets, rounded to milli-g and mrad/s. It has no magnetic field, so a frame with
        /// one is sent as `json` and loses nothing.
        case compactJSON = "compact"
        /// Protobuf: the fastest form, rounded to its scale factors.
        case protobuf
    }

    private let topics: TopicTree
    private let producer: MQTTProducer

    /// Starts a sending connection. It is made in the background and kept up until `close()`.
    public init(endpoint: MQTTEndpoint, root: String = "stride", version: MQTTVersion = .v5) throws(WireError) {
        topics = try TopicTree(root: root)
        let name = "stride-publisher-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        producer = MQTTProducer(
            configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: name, version: version))
    }

    /// The current state of the connection and every later change.
    public var connectionStates: AsyncStream<MQTTConnectionState> { producer.events }

    /// Publishes frames and returns when the broker has acknowledged all of them.
    ///
    /// - Throws: `MQTTError` if the connection ends for good.
    package func publish(_ frames: [(device: DeviceID, frame: Frame)], form: Form = .json) async throws {
        try await producer.publish(frames.map { publication(of: $0.device, payload: form.payload(of: $0.frame)) })
    }

    /// Publishes what straps and power meters tell, each at its time.
    ///
    /// - Throws: `MQTTError` if the connection ends for good.
    package func publish(_ riders: [(device: DeviceID, numbers: RiderNumbers, time: FrameTime)]) async throws {
        try await producer.publish(
            riders.map { device, numbers, time in
                MQTTPublication(topic: topics.bytes(.device(device, .hr)), payload: numbers.encodedJSON(at: time))
            })
    }

    /// Publishes the configuration of a device. It is retained, so services that start later receive it too.
    ///
    /// - Throws: `MQTTError` if the connection ends for good.
    package func publish(_ configuration: DeviceConfig, of device: DeviceID) async throws {
        try await producer.publish(
            MQTTPublication(
                topic: topics.bytes(.device(device, .config)), payload: configuration.encodedJSON(), retain: true))
    }

    /// Sends queued messages for at most `MQTTProducerLimits.stopSeconds`, and ends the connection.
    ///
    /// - Returns: The number of frames and configurations that the broker has not acknowledged.
    @discardableResult
    public func close() async -> Int {
        await producer.stop()
    }
}

extension MotionPublisher {
    /// True while a broker takes what is sent.
    var isConnected: Bool {
        if case .connected = producer.connectionState { true } else { false }
    }

    /// True if nothing will be sent any more.
    var isEnded: Bool {
        switch producer.connectionState {
        case .failed, .stopped: true
        case .connecting, .connected, .disconnected: false
        }
    }

    /// Sends frames of a queue. A broker drops frames that have no subscriber. If it reports this, the call throws and
    /// the queue keeps the frames.
    func send(_ frames: [(device: DeviceID, payload: [UInt8])]) async throws {
        try await producer.publish(
            frames.map { frame in
                var publication = publication(of: frame.device, payload: frame.payload)
                publication.needsSubscriber = true
                return publication
            })
    }

    private func publication(of device: DeviceID, payload: [UInt8]) -> MQTTPublication {
        MQTTPublication(topic: topics.bytes(.device(device, .imu)), payload: payload)
    }
}

extension MotionPublisher.Form {
    /// A frame in this form.
    func payload(of frame: Frame) -> [UInt8] {
        switch self {
        case .json: frame.encodedJSON()
        case .compactJSON:
            frame.sensors.contains(.magneticField) ? frame.encodedJSON() : frame.encodedCompactJSON()
        case .protobuf: frame.encodedProtobuf()
        }
    }
}

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
