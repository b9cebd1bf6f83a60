public import MQTT
public import Wire

/// Sends frames as a device would: to `{device}/imu`, acknowledged by the broker.
///
/// It keeps nothing beyond the end of the app: see ``MotionQueue`` for that.
public final class MotionPublisher: Sendable {
    /// In which form frames travel.
    public enum Form: String, Sendable, Hashable, CaseIterable {
        /// Our JSON: easy to read, exact.
        case json
        /// Our compact JSON: fits small packets, rounds to milli-g and mrad/s. It has no magnetic field: a frame that
        /// has one goes as `json`, so that nothing of it is lost.
        case compactJSON = "compact"
        /// Our protobuf: the fastest; rounds as its scale factors say.
        case protobuf
    }

    private let topics: TopicTree
    private let producer: MQTTProducer

    /// Opens a connection that sends; it is made in the background and kept up until `close()`.
    public init(endpoint: MQTTEndpoint, root: String = "stride", version: MQTTVersion = .v5) throws(WireError) {
        topics = try TopicTree(root: root)
        let name = "stride-publisher-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        producer = MQTTProducer(
            configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: name, version: version))
    }

    /// The state of the connection and every change of it.
    public var connectionStates: AsyncStream<MQTTConnectionState> { producer.events }

    /// Sends frames and returns when the broker has them all.
    ///
    /// - Throws: `MQTTError` when the connection ends for good.
    public func publish(_ frames: [(device: DeviceID, frame: Frame)], form: Form = .json) async throws {
        try await producer.publish(frames.map { publication(of: $0.device, payload: form.payload(of: $0.frame)) })
    }

    /// Says what a device is; retained, so that services which come later know it too.
    ///
    /// - Throws: `MQTTError` when the connection ends for good.
    public func publish(_ configuration: DeviceConfig, of device: DeviceID) async throws {
        try await producer.publish(
            MQTTPublication(
                topic: topics.bytes(.device(device, .config)), payload: configuration.encodedJSON(), retain: true))
    }

    /// Sends what is still queued, as long as `MQTTProducerLimits.stopSeconds` allows, and ends the connection.
    ///
    /// - Returns: How many frames and configurations the broker has not confirmed; 0 when it has all.
    @discardableResult
    public func close() async -> Int {
        await producer.stop()
    }
}

extension MotionPublisher {
    /// True if nothing will be sent any more.
    var isEnded: Bool {
        switch producer.connectionState {
        case .failed, .stopped: true
        case .connecting, .connected, .disconnected: false
        }
    }

    /// Sends frames that a queue keeps. A broker without a subscriber for them throws them away: where it says so,
    /// the queue keeps them until there is one.
    func send(_ frames: [QueuedFrame]) async throws {
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
