import Contract
import PrivateBroker
import MQTT
import StrideClient
import TestBroker
import Wire

/// A broker, an app, and a scripted history.
struct Scene {
    let first: DeviceID = "bike-1"
    let second: DeviceID = "bike-2"
    let client: StrideBus
    let requests: MQTTConsumer
    let replies: MQTTProducer

    /// Runs a test on a bus of its own.
    static func with(
        version: MQTTVersion, timeoutSeconds: Double = StrideBus.usualTimeoutSeconds, user: String? = nil,
        port: Int = 0, client known: StrideBus? = nil, _ body: (Scene) async throws -> Void
    ) async throws {
        let configuration = EmbeddedBrokerConfiguration(port: port)
        try await TestBroker.with(configuration, checked: .everything, roots: ["test"]) { bus in
            let requests = bus.consumer("test/request/#", "test/user/+/request/#", id: "history-requests")
            try await requests.subscribed()
            var own = bus.endpoint
            own.username = user
            let client =
                try known
                ?? StrideBus(endpoint: own, root: "test", version: version, timeoutSeconds: timeoutSeconds)
            for await state in client.connectionStates {
                if case .connected = state { break }
            }
            try await body(Scene(client: client, requests: requests, replies: bus.producer("history-replies")))
            await client.close()
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
}
