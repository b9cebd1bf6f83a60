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
            for await case .connected in client.connectionStates { break }
            try await body(Scene(client: client, requests: requests, replies: bus.producer("history-replies")))
            await client.close()
        }
    }

    /// Hands over each request of the app until the answer is that it was the last.
    func each(_ body: (HistoryRequest) async throws -> Bool) async throws {
        let topics = try TopicTree(root: "test")
        for try await batch in requests.batches {
            var received: [HistoryRequest] = []
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
            for request in received where try await body(request) { return }
        }
    }

    /// Plays history for `count` requests while `body` asks them: when all have come, the last is answered first.
    func answering(
        count: Int = 1, _ reply: @Sendable @escaping (HistoryRequest) -> HistoryReply,
        during body: () async throws -> Void
    ) async throws {
        async let answers: Void = {
            var received: [HistoryRequest] = []
            try await each { request in
                received.append(request)
                return received.count == count
            }
            for request in received.reversed() { try await answer(request, with: reply(request)) }
        }()
        try await body()
        try await answers
    }

    func answer(_ request: HistoryRequest, with reply: HistoryReply) async throws {
        try await publish(request.replyTo ?? "test/reply/lost", reply.encodedJSON())
    }

    func publish(_ topic: String, _ payload: [UInt8], retain: Bool = false) async throws {
        try await replies.publish(MQTTPublication(topic: topic, payload: payload, retain: retain))
    }
}

extension StrideClientError {
    /// Why history refused a request, if it did.
    var refusal: ReplyError? { if case .refused(let error) = self { error } else { nil } }
}
