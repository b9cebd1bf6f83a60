import Contract
import PrivateBroker
import MQTT
import StrideClient
import Wire

/// A broker, an app, and a scripted history.
struct Scene {
    let first: DeviceID
    let second: DeviceID
    let client: StrideBus
    private let broker: EmbeddedBroker
    private let watch: BusWatch
    let requests: MQTTConsumer
    let replies: MQTTProducer

    init(
        version: MQTTVersion, timeoutSeconds: Double = StrideBus.usualTimeoutSeconds, user: String? = nil,
        port: Int = 0, client known: StrideBus? = nil
    ) async throws {
        first = try DeviceID("bike-1")
        second = try DeviceID("bike-2")
        broker = try await EmbeddedBroker.start(EmbeddedBrokerConfiguration(port: port))
        let endpoint = try MQTTEndpoint(broker.url)
        watch = try await BusWatch.start(endpoint, roots: ["test"], scope: .everything)
        requests = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: "history-requests"),
            subscriptions: [MQTTSubscription("test/request/#"), MQTTSubscription("test/user/+/request/#")])
        replies = MQTTProducer(
            configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: "history-replies"))
        for try await batch in requests.batches {
            batch.acknowledge()
            if batch.connection != nil { break }
        }
        var own = endpoint
        own.username = user
        client = try known ?? StrideBus(endpoint: own, root: "test", version: version, timeoutSeconds: timeoutSeconds)
        for await state in client.connectionStates {
            if case .connected = state { break }
        }
    }

    /// Plays history for `count` requests while `body` asks them.
    func answering(
        count: Int, _ script: @Sendable @escaping ([HistoryRequest]) -> [(HistoryRequest, HistoryReply)],
        during body: () async throws -> Void
    ) async throws {
        let topics = try TopicTree(root: "test")
        async let answers: Void = {
            var received: [HistoryRequest] = []
            for try await batch in requests.batches {
                for message in batch {
                    switch try topics.parse(message.topic) {
                    case .request(let verb) where client.user == nil:
                        received.append(try HistoryRequest(verb: verb, json: message.payload))
                    case .userRequest(let user, let verb) where user == client.user:
                        received.append(try HistoryRequest(verb: verb, json: message.payload))
                    default: continue
                    }
                }
                batch.acknowledge()
                if received.count == count { break }
            }
            for (request, reply) in script(received) {
                try await replies.publish(
                    MQTTPublication(topic: request.replyTo ?? "test/reply/lost", payload: reply.encodedJSON()))
            }
        }()
        try await body()
        try await answers
    }

    func end() async {
        await client.close()
        requests.stop()
        await replies.stop()
        await watch.end()
        await requests.waitUntilStopped()
        await broker.stop()
    }
}
