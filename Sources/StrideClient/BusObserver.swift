public import MQTT
public import Wire

/// Receives everything that the counter and history services publish about all devices.
public final class BusObserver: Sendable {
    private let topics: TopicTree
    private let consumer: MQTTConsumer

    /// Starts a receiving connection. It is made in the background and kept up until `close()`.
    public init(endpoint: MQTTEndpoint, root: String = "stride", version: MQTTVersion = .v5) throws(WireError) {
        let topics = try TopicTree(root: root)
        self.topics = topics
        let channels: [DeviceChannel] = [
            .cadence, .steps, .heart, .power, .activity, .day, .total, .health, .status,
        ]
        let name = "stride-observer-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        // At most once: over a clean session nothing is sent again after a break.
        let filters =
            channels.map { topics.filter(every: $0) } + ServiceName.allCases.map { topics.text(.serviceStatus($0)) }
        consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: name, version: version),
            subscriptions: filters.map { MQTTSubscription($0, qos: .atMostOnce) })
    }

    /// The current state of the connection and every later change.
    public var connectionStates: AsyncStream<MQTTConnectionState> { consumer.events }

    /// Passes each received event to `body`, one after another, until `close()`.
    ///
    /// - Throws: `MQTTError` if the connection ends for good.
    public func observe(_ body: (BusEvent) async -> Void) async throws {
        for try await batch in consumer.batches {
            for event in batch.compactMap(event) { await body(event) }
            batch.acknowledge()
        }
    }

    /// Stops listening; `observe` returns.
    public func close() async {
        consumer.stop()
        await consumer.waitUntilStopped()
    }

    private func event(of message: MQTTMessage) -> BusEvent? {
        guard let topic = try? topics.parse(message.topic) else { return nil }
        return BusEvent(topic: topic, payload: message.payload)
    }
}

/// A live or retained message of the bus.
public enum BusEvent: Sendable {
    /// A device's cadence, once a second while it moves.
    case cadence(DeviceID, CadenceReport)
    /// Steps just counted.
    case steps(DeviceID, StepsReport)
    /// A heart rate, once a second where a sensor tells it.
    case heart(DeviceID, HeartReport)
    /// A power, once a second where a sensor tells it.
    case power(DeviceID, PowerReport)
    /// The activity of the wearer.
    case activity(DeviceID, ActivityReport)
    /// Today's totals.
    case day(DeviceID, DayTotals)
    /// All-time totals.
    case total(DeviceID, DeviceTotals)
    /// Problems with a device's data.
    case health(DeviceID, DeviceHealth)
    /// A device went online, or offline in order or by its will.
    case status(DeviceID, isOnline: Bool)
    /// A service went online or offline.
    case service(ServiceName, isOnline: Bool)

    /// The device of the event; nil for an event of a service.
    package var device: DeviceID? { message?.device }

    /// Reads an event from a message; nil if the topic is another one or the payload cannot be read.
    init?(topic: Topic, payload: UnsafeRawBufferPointer) {
        switch topic {
        case .device(let device, let channel):
            guard let event = try? Self.event(of: device, channel, payload) else { return nil }
            self = event
        case .serviceStatus(let name): self = .service(name, isOnline: payload.elementsEqual("online".utf8))
        default: return nil
        }
    }

    private static func event(
        of device: DeviceID, _ channel: DeviceChannel, _ payload: UnsafeRawBufferPointer
    ) throws(WireError) -> BusEvent? {
        switch channel {
        case .cadence: .cadence(device, try CadenceReport(json: payload))
        case .steps: .steps(device, try StepsReport(json: payload))
        case .heart: .heart(device, try HeartReport(json: payload))
        case .power: .power(device, try PowerReport(json: payload))
        case .activity: .activity(device, try ActivityReport(json: payload))
        case .day: .day(device, try DayTotals(json: payload))
        case .total: .total(device, try DeviceTotals(json: payload))
        case .health: .health(device, try DeviceHealth(json: payload))
        case .status: payload.isEmpty ? nil : .status(device, isOnline: !payload.elementsEqual("offline".utf8))
        default: nil
        }
    }
}

extension BusEvent {
    /// The event as one JSON object, `{"device","channel","payload"}`; nil for an event of a service.
    package func encodedJSON() -> [UInt8]? {
        message.map { message in
            JSONWriter.object { writer in
                writer.field("device", message.device.description)
                writer.field("channel", message.channel.rawValue)
                writer.key("payload")
                message.write(&writer)
            }
        }
    }

    /// Whose it is, and what writes its payload.
    private var message: (device: DeviceID, channel: DeviceChannel, write: (inout JSONWriter) -> Void)? {
        switch self {
        case .cadence(let device, let report): (device, .cadence, report.write(to:))
        case .steps(let device, let report): (device, .steps, report.write(to:))
        case .heart(let device, let report): (device, .heart, report.write(to:))
        case .power(let device, let report): (device, .power, report.write(to:))
        case .activity(let device, let report): (device, .activity, report.write(to:))
        case .day(let device, let totals): (device, .day, totals.write(to:))
        case .total(let device, let totals): (device, .total, totals.write(to:))
        case .health(let device, let health): (device, .health, health.write(to:))
        case .status(let device, let isOnline): (device, .status, { $0.value(isOnline ? "online" : "offline") })
        case .service: nil
        }
    }
}
