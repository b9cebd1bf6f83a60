import MQTT
import Wire

/// A lease on notices as somebody without our library has it: what comes over the wire is noted as it comes, and that
/// a pedometer's own lease has begun.
struct Lease: Sendable {
    private let consumer: MQTTConsumer
    private let producer: MQTTProducer
    private let topics: TopicTree
    /// The topic to which this lease's answers and notices come.
    private let own: String

    init(_ services: ServiceProcesses) throws {
        topics = try TopicTree(root: services.root)
        own = topics.text(.reply("lease"))
        let endpoint = try services.endpoint
        consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: "lease"),
            subscriptions: [MQTTSubscription(own), MQTTSubscription(topics.text(.reply("+/live/+")))])
        producer = MQTTProducer(
            configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: "lease-asker"))
    }

    /// The time between two renewals, in milliseconds of the wall.
    static let renewalMilliseconds = 500

    /// Asks for notices again and again until it is cancelled: a history that was restarted learns of the lease by that.
    func renew(device: DeviceID, from: Double) async throws {
        while true {
            try await start(device: device, from: from)
            try await Task.sleep(for: .milliseconds(Self.renewalMilliseconds))
        }
    }

    /// Asks for notices.
    func start(device: DeviceID, from: Double) async throws {
        var request = HistoryRequest(verb: .liveStart, device: device, from: .instant(seconds: from))
        request.every = RestartedWalk.every
        request.counts = .steps
        request.replyTo = own
        try await producer.publish(
            MQTTPublication(topic: topics.bytes(.request(.liveStart)), payload: request.encodedJSON()))
    }

    /// Notes what comes until `stop`.
    func listen(_ walk: RestartedWalk) async throws {
        for try await batch in consumer.batches {
            for message in batch {
                let isOwn = message.topic.elementsEqual(own.utf8)
                walk.note(try HistoryReply(json: message.payload), isOfPedometer: !isOwn)
            }
            batch.acknowledge()
        }
    }

    func stop() async {
        consumer.stop()
        await producer.stop()
        await consumer.waitUntilStopped()
    }
}
