import Foundation
import MQTT
import PrivateBroker
import TestBroker
import Watched
import Wire

/// A broker that asks for a password and has the access list of the table: a private Mosquitto, or the cluster on which
/// `deploy/cluster/matrix` runs the tests.
final class GuardedBroker: Sendable {
    let topics: TopicTree
    /// What the services read and write beyond the root.
    let foreignFilters: [String]
    private let port: Int
    private let passwords: [String: String]
    /// The private broker with its folder; `nil` for a cluster.
    private let own: (broker: EmbeddedBroker, folder: TemporaryFolder)?

    private init(
        topics: TopicTree, foreignFilters: [String] = [], port: Int, passwords: [String: String],
        own: (broker: EmbeddedBroker, folder: TemporaryFolder)? = nil
    ) {
        (self.topics, self.foreignFilters, self.port) = (topics, foreignFilters, port)
        (self.passwords, self.own) = (passwords, own)
    }

    /// A cluster that runs, as the file tells that STRIDEBUS_MATRIX names.
    private struct Cluster: Decodable {
        var root: String
        var port: Int
        var passwords: [String: String]

        static let running = ProcessInfo.processInfo.environment["STRIDEBUS_MATRIX"].flatMap { path in
            try? JSONDecoder().decode(Cluster.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        }
    }

    /// Whether the tests are for a cluster.
    static var isCluster: Bool { Cluster.running != nil }
    /// The protocols that the broker speaks: RabbitMQ 3.10 does 3.1.1.
    static var versions: [MQTTVersion] { isCluster ? [.v311] : [.v5, .v311] }

    /// The user of a cluster that may read and write everything on it, beside those of the bus.
    static func auditor() throws -> BusUser { try BusUser("auditor", .services) }

    /// Starts a broker for these users, below a root of two levels. Its services read and write everything, so that they
    /// see what gets through anywhere. A cluster runs already, for the users of `everyRole`.
    static func start(users: [BusUser], extraLines: [String] = []) async throws -> GuardedBroker {
        if let cluster = Cluster.running {
            return GuardedBroker(
                topics: try TopicTree(root: cluster.root), port: cluster.port, passwords: cluster.passwords)
        }
        let topics = try TopicTree(root: "gym/berlin")
        let folder = TemporaryFolder()
        let (passwords, list) = ("\(folder.path)/passwords", "\(folder.path)/access")
        let words = Dictionary(uniqueKeysWithValues: users.map { ("\($0.name)", "the password of \($0.name)") })
        let lines = words.map { "\($0):\($1)\n" }.joined()
        let foreignFilters = ["#"]
        for (path, text) in [
            (passwords, lines),
            (list, AccessList(users: users, topics: topics, foreignFilters: foreignFilters).mosquitto),
        ] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        _ = try SystemProgram.run("mosquitto_passwd", package: "mosquitto", ["-U", passwords])
        let configuration = EmbeddedBrokerConfiguration(
            extraLines: ["allow_anonymous false", "password_file \(passwords)", "acl_file \(list)"] + extraLines)
        let broker = try await EmbeddedBroker.start(configuration)
        return GuardedBroker(
            topics: topics, foreignFilters: foreignFilters, port: broker.port, passwords: words, own: (broker, folder))
    }

    /// The broker's address for a user.
    func endpoint(_ user: BusUser) -> MQTTEndpoint {
        MQTTEndpoint(
            host: "127.0.0.1", port: port, username: "\(user.name)", password: passwords["\(user.name)"])
    }

    /// A connection of a user.
    func connection(_ user: BusUser, version: MQTTVersion = .v5) -> MQTTConnectionConfiguration {
        MQTTConnectionConfiguration(
            endpoint: endpoint(user), clientID: "\(user.name)-\(UInt32.random(in: .min ... .max))", version: version)
    }

    func publish(_ topic: String, _ text: String, as user: BusUser, version: MQTTVersion = .v5) async throws {
        try await publish([(topic, text)], as: user, version: version)
    }

    /// Publishes as a user on a connection of its own; the first refusal is thrown after all answers.
    func publish(
        _ messages: [(topic: String, text: String)], as user: BusUser, version: MQTTVersion = .v5, retain: Bool = false
    ) async throws {
        let producer = MQTTProducer(configuration: connection(user, version: version))
        let all = messages.map { MQTTPublication(topic: $0.topic, payload: Array($0.text.utf8), retain: retain) }
        do { try await producer.publish(all) } catch {
            await producer.stop()
            throw error
        }
        await producer.stop()
    }

    /// Publishes as a user what the broker may take, drop or end the connection over, as RabbitMQ does: the message after
    /// that one has another connection.
    func attempt(_ messages: [MQTTPublication], as user: BusUser, version: MQTTVersion) async {
        var kept: MQTTProducer?
        for message in messages {
            let producer =
                kept
                ?? MQTTProducer(
                    configuration: connection(user, version: version), limits: MQTTProducerLimits(stopSeconds: 0))
            // Whatever the answer is: the test asks what arrives.
            await until { producer.offer(message) }
            await until { producer.queuedMessages == 0 || producer.connectionState.isOver }
            kept = producer.queuedMessages == 0 ? producer : nil
            if kept == nil { await producer.stop() }
        }
        await kept?.stop()
    }

    /// Those of the filters that the broker grants, each on a connection of its own.
    func granted(_ filters: [String], to user: BusUser, version: MQTTVersion) async -> Set<String> {
        await withTaskGroup(of: [String].self) { group in
            let lanes = 8
            for lane in 0..<lanes {
                group.addTask {
                    var granted: [String] = []
                    for index in stride(from: lane, to: filters.count, by: lanes)
                    where await self.grants(filters[index], to: user, version: version) {
                        granted.append(filters[index])
                    }
                    return granted
                }
            }
            return await group.reduce(into: []) { $0.formUnion($1) }
        }
    }

    /// Whether the broker grants a subscription; RabbitMQ ends the connection of whoever asks for too much.
    private func grants(_ filter: String, to user: BusUser, version: MQTTVersion) async -> Bool {
        let consumer = MQTTConsumer(
            configuration: connection(user, version: version),
            subscriptions: [MQTTSubscription(filter, qos: .atMostOnce)])
        var isGranted = false
        states: for await state in consumer.events {
            switch state {
            case .connecting: continue
            case .connected: isGranted = true
            case .disconnected, .failed, .stopped: isGranted = false
            }
            break states
        }
        await consumer.end()
        return isGranted
    }

    /// Subscribes as a user, calls `whenReady`, and gives each message to `take` until it returns true.
    func hear(
        as user: BusUser, _ filters: [String], qos: MQTTQoS = .atLeastOnce, version: MQTTVersion = .v5,
        whenReady: () async throws -> Void,
        take: (_ topic: String, _ text: String, _ isRetained: Bool) -> Bool
    ) async throws {
        let consumer = MQTTConsumer(
            configuration: connection(user, version: version),
            subscriptions: filters.map { MQTTSubscription($0, qos: qos) })
        var isOver = false
        for try await batch in consumer.batches {
            for message in batch {
                let isLast = take(
                    String(decoding: message.topic, as: UTF8.self), String(decoding: message.payload, as: UTF8.self),
                    message.isRetained)
                isOver = isOver || isLast
            }
            batch.acknowledge()
            if batch.connection != nil { try await whenReady() }
            if isOver { break }
        }
        await consumer.end()
    }
}

extension MQTTConnectionState {
    fileprivate var isOver: Bool { if case .disconnected = self { true } else { false } }
}

extension BusUser {
    /// A user by the name.
    init(_ name: String, _ role: Role) throws {
        self.init(name: try DeviceID(name), role: role)
    }

    /// One of each role, and a second member.
    static func everyRole() throws -> [BusUser] {
        [
            try BusUser("bike-07", .device), try BusUser("anna", .member), try BusUser("ben", .member),
            try BusUser("screen", .viewer), try BusUser("front-desk", .operator), try BusUser("services", .services),
        ]
    }
}
