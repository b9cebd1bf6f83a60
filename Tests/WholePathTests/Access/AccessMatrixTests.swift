import MQTT
import PrivateBroker
import Testing
import Wire

/// Tries on a real broker what the table says: every user on every topic of the bus, their own and others'. It is a
/// private Mosquitto, and with `deploy/cluster/matrix` RabbitMQ.
@Suite("Every role on every topic", .timeLimit(.minutes(5)))
struct AccessMatrixTests {
    @Test(
        "What a role may write arrives and nothing else does, retained or not", arguments: GuardedBroker.versions)
    func publish(version: MQTTVersion) async throws {
        let scene = try await AccessScene.start()
        let wanted = Dictionary(
            uniqueKeysWithValues: scene.users.map { user in
                ("\(user.name)", scene.allowed(.write, user).union([scene.lastTopic(writtenBy: user)]))
            })
        var arrived: [String: Set<String>] = [:]
        try await scene.forgetRetained(version: version)
        try await scene.broker.hear(as: scene.watcher, scene.everything, version: version) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for user in scene.users {
                    group.addTask {
                        await scene.broker.attempt(
                            scene.everyTopic.map { scene.message(on: $0, from: user) }, as: user, version: version)
                        try await scene.broker.publish(
                            scene.lastTopic(writtenBy: user), "\(user.name)", as: user, version: version)
                    }
                }
                try await group.waitForAll()
            }
        } take: { topic, text, _ in
            arrived[text, default: []].insert(topic)
            // The nodes of a cluster overtake each other.
            return wanted.allSatisfy { arrived[$0]?.isSuperset(of: $1) == true }
        }
        for (name, topics) in wanted { #expect(arrived[name] == topics, "\(name)") }
        // Nothing was retained by somebody who may not write it.
        var retained: [String: String] = [:]
        // By name, because RabbitMQ gives it to no wildcard.
        try await scene.broker.hear(
            as: scene.watcher, scene.everyTopic + [scene.end], qos: .atMostOnce, version: version
        ) {
            try await scene.broker.publish(scene.end, "end", as: scene.services, version: version)
        } take: { topic, text, isRetained in
            if isRetained { retained[topic] = text }
            return topic == scene.end
        }
        for (topic, text) in retained {
            let user = try #require(scene.users.first { "\($0.name)" == text })
            #expect(scene.allowed(.write, user).contains(topic), "\(text) on \(topic)")
        }
        #expect(Set(retained.keys) == scene.users.reduce(into: []) { $0.formUnion(scene.allowed(.write, $1)) })
        try await scene.forgetRetained(version: version)
    }

    @Test(
        "What a role may read it hears, and nothing else whatever it subscribes to",
        .disabled(if: GuardedBroker.isCluster, "a cluster refuses what Mosquitto grants and filters"),
        arguments: GuardedBroker.versions)
    func subscribe(version: MQTTVersion) async throws {
        let scene = try await AccessScene.start()
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

    @Test(
        "What a role may read a cluster grants and it hears; every other subscription is refused, or hears no more",
        .enabled(if: GuardedBroker.isCluster))
    func clusterSubscribe() async throws {
        let scene = try await AccessScene.start()
        let (broker, root) = (scene.broker, scene.topics.root)
        /// What a user hears on filters while everything is published.
        func heard(by user: BusUser, _ filters: [String]) async throws -> Set<String> {
            let allowed = scene.allowed(.read, user)
            let end = "\(root)/user/\(user.name)/reply/end"
            var heard: Set<String> = []
            var isOver = false
            try await broker.hear(as: user, filters + [end], version: .v311) {
                try await broker.publish(scene.everyTopic.map { ($0, "to all") }, as: scene.watcher, version: .v311)
                try await broker.publish(end, "end", as: scene.watcher, version: .v311)
            } take: { topic, text, _ in
                if text == "to all" { heard.insert(topic) }
                isOver = isOver || text == "end"
                return isOver && (filters != scene.filters(.read, of: user) || heard.isSuperset(of: allowed))
            }
            return heard
        }
        for user in scene.users {
            let allowed = scene.allowed(.read, user)
            let filters = scene.filters(.read, of: user).filter { !$0.hasPrefix("$") }
            #expect(try await heard(by: user, filters) == allowed, "\(user.name)")
            let wildcards =
                ["#", "+/#", "+/+/+/+", "gym/#", "gym/+/anna/imu"]
                + [
                    "#", "+/#", "+/+", "+/+/#", "+/imu", "anna/#", "user/#", "user/+/reply/#", "service/#",
                    "service/+/#",
                ]
                .map { "\(root)/\($0)" }
            let forbidden =
                scene.everyTopic.filter { !allowed.contains($0) }
            let granted = await broker.granted(wildcards + forbidden, to: user, version: .v311)
            #expect(granted.isDisjoint(with: forbidden), "\(user.name)")
            for filter in granted.intersection(wildcards) {
                #expect(try await heard(by: user, [filter]).isSubset(of: allowed), "\(user.name) on \(filter)")
            }
        }
    }

    @Test("Who gives no password, or another one, is not let in", arguments: GuardedBroker.versions)
    func strangers(version: MQTTVersion) async throws {
        let scene = try await AccessScene.start()
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

    @Test(
        "Not even the will of a client gets through on a topic that its user may not write",
        arguments: GuardedBroker.versions)
    func wills(version: MQTTVersion) async throws {
        let scene = try await AccessScene.start()
        let anna = scene.users[1]
        var heard: [String] = []
        try await scene.broker.hear(as: scene.watcher, scene.everything, version: version) {
            for topic in ["bike-07/status", "anna/total", "anna/status"] {
                var configuration = scene.broker.connection(anna, version: version)
                configuration.will = MQTTPublication(
                    topic: "\(scene.topics.root)/\(topic)", payload: Array("offline".utf8), retain: true)
                let producer = MQTTProducer(
                    configuration: configuration, limits: MQTTProducerLimits(stopSeconds: 0))
                let own = "\(scene.topics.root)/anna/count"
                try await producer.publish(MQTTPublication(topic: own, payload: []))
                // Ended with messages on their way: without a DISCONNECT, or with the one that lets the will be said.
                for _ in 0..<200 { producer.offer(MQTTPublication(topic: own, payload: [])) }
                await producer.stop()
            }
        } take: { topic, text, _ in
            if text == "offline" { heard.append(topic) }
            return topic.hasSuffix("anna/status")
        }
        #expect(heard == ["\(scene.topics.root)/anna/status"])
    }
}
