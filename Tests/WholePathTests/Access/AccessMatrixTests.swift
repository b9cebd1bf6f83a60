import MQTT
import ServiceKit
import Testing
import Wire

/// Tries on a real Mosquitto what the table says: every user on every topic of the bus, their own and others'.
@Suite("Every role on every topic", .timeLimit(.minutes(5)))
struct AccessMatrixTests {
    @Test(
        "What a role may write arrives and nothing else does, retained or not", arguments: [MQTTVersion.v5, .v311])
    func publish(version: MQTTVersion) async throws {
        let scene = try await Scene.start()
        var arrived: [String: Set<String>] = [:]
        try await scene.broker.hear(as: scene.services, ["#"]) {
            for user in scene.users {
                let producer = MQTTProducer(configuration: scene.broker.connection(user, version: version))
                // Over MQTT 5 the first refusal is thrown after all answers, over 3.1.1 there is none.
                try? await producer.publish(scene.everyTopic.map { scene.message(on: $0, from: user) })
                try await producer.publish(
                    MQTTPublication(topic: scene.lastTopic(writtenBy: user), payload: Array("\(user.name)".utf8)))
                await producer.stop()
            }
        } take: { topic, text, _ in
            arrived[text, default: []].insert(topic)
            return arrived.keys.count == scene.users.count
                && scene.users.allSatisfy { arrived["\($0.name)"]?.contains(scene.lastTopic(writtenBy: $0)) == true }
        }
        for user in scene.users {
            let wanted = scene.allowed(.write, user).union([scene.lastTopic(writtenBy: user)])
            #expect(arrived["\(user.name)"] == wanted, "\(user.name)")
        }
        // Nothing was retained by somebody who may not write it.
        var retained: [String: String] = [:]
        try await scene.broker.hear(as: scene.services, ["#"]) {
            try await scene.broker.publish(scene.end, "end", as: scene.services)
        } take: { topic, text, isRetained in
            if isRetained { retained[topic] = text }
            return topic == scene.end
        }
        for (topic, text) in retained {
            let user = try #require(scene.users.first { "\($0.name)" == text })
            #expect(scene.allowed(.write, user).contains(topic), "\(text) on \(topic)")
        }
        #expect(Set(retained.keys) == scene.users.reduce(into: []) { $0.formUnion(scene.allowed(.write, $1)) })
    }

    @Test(
        "What a role may read it hears, and nothing else whatever it subscribes to", arguments: [MQTTVersion.v5, .v311])
    func subscribe(version: MQTTVersion) async throws {
        let scene = try await Scene.start()
        for user in scene.users {
            var heard: Set<String> = []
            var ended = false
            // The broker grants each of these and filters what it delivers.
            let filters = ["#", "+/#", "\(scene.topics.root)/#", "+/+/+/+", "\(scene.topics.root)/user/+/reply/#"]
            try await scene.broker.hear(as: user, filters, version: version) {
                try await scene.broker.publish(scene.everyTopic.map { ($0, "to all") }, as: scene.services)
                try await scene.broker.publish(
                    "\(scene.topics.root)/user/\(user.name)/reply/end", "end", as: scene.services)
            } take: { topic, text, _ in
                if text == "to all" { heard.insert(topic) }
                ended = ended || text == "end"
                return ended
            }
            #expect(heard == scene.allowed(.read, user), "\(user.name)")
        }
    }

    @Test("Who gives no password, or another one, is not let in", arguments: [MQTTVersion.v5, .v311])
    func strangers(version: MQTTVersion) async throws {
        let scene = try await Scene.start()
        for (name, password) in [(nil, nil), ("anna", "guessed"), ("anna", nil), ("nobody", "guessed")]
            as [(String?, String?)]
        {
            var configuration = scene.broker.connection(scene.services, version: version)
            (configuration.endpoint.username, configuration.endpoint.password) = (name, password)
            let producer = MQTTProducer(configuration: configuration)
            await #expect(throws: MQTTError.self) {
                try await producer.publish(MQTTPublication(topic: scene.end, payload: []))
            }
            await producer.stop()
        }
    }

    @Test("Not even the will of a client gets through on a topic that its user may not write")
    func wills() async throws {
        let scene = try await Scene.start()
        let anna = scene.users[1]
        var heard: [String] = []
        try await scene.broker.hear(as: scene.services, ["#"]) {
            for topic in ["bike-07/status", "anna/total", "anna/status"] {
                var configuration = scene.broker.connection(anna)
                configuration.will = MQTTPublication(
                    topic: "\(scene.topics.root)/\(topic)", payload: Array("offline".utf8), retain: true)
                let producer = MQTTProducer(
                    configuration: configuration, limits: MQTTProducerLimits(stopSeconds: 0))
                let own = "\(scene.topics.root)/anna/count"
                try await producer.publish(MQTTPublication(topic: own, payload: []))
                // Somebody else with the client's id: the broker ends this one and publishes its will.
                let other = MQTTProducer(configuration: configuration.withoutWill)
                try await other.publish(MQTTPublication(topic: own, payload: []))
                await producer.stop()
                await other.stop()
            }
        } take: { topic, text, _ in
            if text == "offline" { heard.append(topic) }
            return topic.hasSuffix("anna/status")
        }
        #expect(heard == ["\(scene.topics.root)/anna/status"])
    }
}

extension MQTTConnectionConfiguration {
    fileprivate var withoutWill: MQTTConnectionConfiguration {
        var other = self
        other.will = nil
        return other
    }
}

/// A broker, its users, and every topic of the bus.
private struct Scene {
    let broker: GuardedBroker
    let users: [BusUser]
    let everyTopic: [String]
    var topics: TopicTree { broker.topics }
    var services: BusUser { users[users.count - 1] }
    /// A topic that only the services write, and that nobody else publishes on.
    var end: String { "\(topics.root)/service/end" }

    static func start() async throws -> Scene {
        let users = try BusUser.everyRole()
        let broker = try await GuardedBroker.start(users: users)
        let topics = broker.topics
        var all: [Topic] = [.resend, .audit, .reply("app/a")] + RequestVerb.allCases.map { .request($0) }
        for number in [0, 63] {
            let partition = try Partition(number: number)
            all += [.motion(partition), .counts(partition), .forget(partition)]
        }
        all += ServiceName.allCases.flatMap { [.serviceStatus($0), .serviceHealth($0)] }
        for name in try users.map(\.name) + [DeviceID("bike-08")] {
            all += DeviceChannel.allCases.map { .device(name, $0) }
            all += RequestVerb.allCases.map { .userRequest(name, $0) }
            all += [.userReply(name, "app/a"), .userRole(name)]
        }
        // Beyond the grammar: deeper and shallower ones, and other roots.
        let others =
            [
                "anna", "anna/imu/deeper", "user/anna", "user/anna/request", "user/anna/request/anything",
                "user/anna/reply", "reply", "request/anything", "service/users",
            ].map { "\(topics.root)/\($0)" } + ["gym/anna/imu", "gym/berlin2/anna/imu", "homeassistant/anna/config"]
        return Scene(broker: broker, users: users, everyTopic: all.map(topics.text) + others)
    }

    /// The topics that a user may read or write, as the table's filters say.
    func allowed(_ access: AccessList.Access, _ user: BusUser) -> Set<String> {
        let filters = AccessList(users: users, topics: topics, foreignFilters: ["#"]).filters(access, of: user)
        return Set(everyTopic.filter { topic in filters.contains { Self.matches($0, topic) } })
    }

    /// MQTT's rule: `+` is one level, `#` the level above it and any below (MQTT 5, 4.7.1).
    private static func matches(_ filter: String, _ topic: String) -> Bool {
        let (filter, topic) = (filter.split(separator: "/"), topic.split(separator: "/"))
        for (index, level) in filter.enumerated() {
            if level == "#" { return true }
            guard index < topic.count, level == "+" || level == topic[index] else {
                return index == topic.count && level == "#"
            }
        }
        return filter.count == topic.count
    }

    /// A topic that a user may write, which comes after all the others.
    func lastTopic(writtenBy user: BusUser) -> String {
        user.role == .services ? end : topics.text(.userRequest(user.name, .devices))
    }

    func message(on topic: String, from user: BusUser) -> MQTTPublication {
        MQTTPublication(topic: topic, payload: Array("\(user.name)".utf8), retain: true)
    }
}
