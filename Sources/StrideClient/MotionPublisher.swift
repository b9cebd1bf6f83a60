public import MQTT
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
