public import MQTT
import Synchronization
public import Wire

/// Publishes frames as a device does: on `{device}/imu`, acknowledged by the broker.
///
/// Frames that are added are numbered, and wait in memory until the broker has them: a tunnel or a broker that restarts
/// loses nothing, and they arrive in their order. The end of the app loses what waits.
///
/// Where too many wait, new frames are refused and no old ones dropped: an old frame may be with the broker already, and
/// would be reported as lost and still be counted. A refused frame uses up its number, so that the counter reports it as
/// missing on the device's health.
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

        fileprivate func payload(of frame: Frame) -> [UInt8] {
            switch self {
            case .json: frame.encodedJSON()
            case .compactJSON:
                frame.sensors.contains(.magneticField) ? frame.encodedJSON() : frame.encodedCompactJSON()
            case .protobuf: frame.encodedProtobuf()
            }
        }
    }

    /// The boot of frames that are numbered here: 53 random bits, which every reader of JSON takes.
    let boot = BootID(rawValue: .random(in: 1...1 << 53))
    private let topics: TopicTree
    private let producer: MQTTProducer
    private let waiting = WaitingFrames()
    private let maximumFrames: Int
    private let sending: Task<Void, Never>

    /// How often ``flush()`` looks whether nothing waits, in milliseconds.
    private static let lookMilliseconds = 20

    /// Starts a sending connection. It is made in the background and kept up until `close()`.
    ///
    /// - Parameter maximumFrames: The most frames that wait; an hour of one frame a second unless given.
    public init(
        endpoint: MQTTEndpoint, root: String = "stride", version: MQTTVersion = .v5, maximumFrames: Int = 3_600
    ) throws(WireError) {
        topics = try TopicTree(root: root)
        let name = "stride-publisher-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        producer = MQTTProducer(
            configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: name, version: version))
        self.maximumFrames = maximumFrames
        sending = Task { [waiting, producer] in await waiting.send(by: producer) }
    }

    deinit { sending.cancel() }

    /// The current state of the connection and every later change.
    public var connectionStates: AsyncStream<MQTTConnectionState> { producer.events }

    /// The number of frames that wait for the broker.
    public var waitingFrames: Int { waiting.count }

    /// Adds a frame, which is sent in the background, and returns.
    ///
    /// A frame without a number gets a boot of this publisher and 0, 1, 2 … for each device. A frame with a boot and a
    /// number keeps them.
    public func add(
        _ frame: Frame, of device: DeviceID, form: Form = .protobuf
    ) throws(MotionPublisherError) {
        guard end == nil else { throw .closed }
        try waiting.state.withLock { state throws(MotionPublisherError) in
            var frame = frame
            if case .unsequenced = frame.identity {
                let number = state.numbers[device] ?? 0
                frame.identity = .sequenced(boot: boot, sequence: number)
                state.numbers[device] = number &+ 1
            }
            var publication = publication(of: device, form.payload(of: frame))
            // A broker drops frames that have no subscriber. Where it says so, they wait.
            publication.needsSubscriber = true
            let bytes = publication.payload.count
            guard bytes <= FrameLimits.maximumPayloadBytes else { throw .frameTooLarge(bytes: bytes) }
            guard state.frames.count < maximumFrames else { throw .full }
            state.frames.append(publication)
        }
        waiting.adding.yield()
    }

    /// Returns when nothing waits.
    ///
    /// - Throws: `MQTTError` if the connection has ended for good, or `CancellationError`.
    public func flush() async throws {
        while waitingFrames > 0 {
            if let end { throw end }
            try await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
        }
    }

    /// Why nothing will be sent any more.
    private var end: MQTTError? {
        switch producer.connectionState {
        case .failed(let error): error
        case .stopped: MQTTError(.stopped, "the publisher has been closed")
        case .connecting, .connected, .disconnected: nil
        }
    }

    /// Publishes frames and returns when the broker has acknowledged all of them.
    ///
    /// - Throws: `MQTTError` if the connection ends for good.
    package func publish(_ frames: [(device: DeviceID, frame: Frame)], form: Form = .json) async throws {
        try await producer.publish(frames.map { publication(of: $0.device, form.payload(of: $0.frame)) })
    }

    /// Publishes what straps and power meters tell, each at its time.
    ///
    /// - Throws: `MQTTError` if the connection ends for good.
    package func publish(_ riders: [(device: DeviceID, numbers: RiderNumbers, time: FrameTime)]) async throws {
        try await producer.publish(
            riders.map { device, numbers, time in publication(of: device, on: .hr, numbers.encodedJSON(at: time)) })
    }

    /// Publishes the configuration of a device. It is retained, so services that start later receive it too.
    ///
    /// - Throws: `MQTTError` if the connection ends for good.
    package func publish(_ configuration: DeviceConfig, of device: DeviceID) async throws {
        var publication = publication(of: device, on: .config, configuration.encodedJSON())
        publication.retain = true
        try await producer.publish(publication)
    }

    private func publication(
        of device: DeviceID, on channel: DeviceChannel = .imu, _ payload: [UInt8]
    ) -> MQTTPublication {
        MQTTPublication(topic: topics.bytes(.device(device, channel)), payload: payload)
    }

    /// Ends the connection, after what is with it has been sent, for at most `MQTTProducerLimits.stopSeconds`. Frames that
    /// wait are lost.
    public func close() async {
        sending.cancel()
        await sending.value
        await producer.stop()
    }
}

/// The reason why a frame was not accepted.
public enum MotionPublisherError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Too many frames wait.
    case full
    /// The frame is larger than the counter accepts.
    case frameTooLarge(bytes: Int)
    /// The connection has ended for good.
    case closed

    /// One line: the problem and its remedy.
    public var description: String {
        switch self {
        case .full: "too many frames wait: wait until the broker is reached, or let more of them wait"
        case .frameTooLarge(let bytes): "a frame of \(bytes) bytes is too large: send fewer samples in one"
        case .closed: "the connection has ended: make a new publisher"
        }
    }
}

/// The frames that wait, shared by the callers and the sending task.
private final class WaitingFrames: Sendable {
    struct State {
        var frames: [MQTTPublication] = []
        var numbers: [DeviceID: UInt64] = [:]
    }

    /// The most frames sent together: the in-flight window of a producer.
    private static let maximumBatch = 200
    /// The first and the longest wait before refused frames are sent again, in seconds. The wait doubles each time.
    private static let waitSeconds = 0.5...60.0

    let state = Mutex(State())
    let adding: AsyncStream<Void>.Continuation
    private let added: AsyncStream<Void>

    init() { (added, adding) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    var count: Int { state.withLock(\.frames.count) }

    private func removeFirst(_ count: Int) { state.withLock { $0.frames.removeFirst(count) } }

    /// Sends until the task is cancelled.
    func send(by producer: MQTTProducer) async {
        // Until the broker of this connection has had somebody to give a frame to, the first is sent alone. Otherwise a
        // subscription that is made amid many would get the last of them first.
        var isRead = false
        var wait = Self.waitSeconds.lowerBound
        for await () in added {
            while count > 0 {
                if case .connected = producer.connectionState {} else { isRead = false }
                let maximum = isRead ? Self.maximumBatch : 1
                let batch = state.withLock { Array($0.frames.prefix(maximum)) }
                do {
                    try await producer.publish(batch)
                    (isRead, wait) = (true, Self.waitSeconds.lowerBound)
                    removeFirst(batch.count)
                } catch let error as MQTTError where error.code == .payloadTooLarge {
                    // Alone it is found, and given up.
                    if batch.count == 1 { removeFirst(1) }
                    isRead = false
                } catch {
                    isRead = false
                    guard (try? await Task.sleep(for: .seconds(wait))) != nil else { return }
                    wait = min(wait * 2, Self.waitSeconds.upperBound)
                }
            }
        }
    }
}
