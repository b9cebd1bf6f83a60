import Foundation
import MQTT
import ServiceKit
import Wire

/// A private broker that asks for a password and has the access list of the table.
final class GuardedBroker: Sendable {
    let broker: EmbeddedBroker
    let topics: TopicTree
    private let folder: String

    private init(broker: EmbeddedBroker, topics: TopicTree, folder: String) {
        self.broker = broker
        self.topics = topics
        self.folder = folder
    }

    deinit { DataDirectory.remove(folder) }

    /// Starts a broker for these users, below a root of two levels. Its services read and write everything, so that they
    /// see what gets through anywhere.
    static func start(
        users: [BusUser], extraLines: [String] = [], maximumPacketBytes: Int = 2_097_152
    ) async throws -> GuardedBroker {
        let topics = try TopicTree(root: "gym/berlin")
        let folder = try DataDirectory.makeTemporary()
        let (passwords, list) = ("\(folder)/passwords", "\(folder)/access")
        let lines = users.map { "\($0.name):\(password(of: $0.name))\n" }.joined()
        for (path, text) in [
            (passwords, lines), (list, AccessList(users: users, topics: topics, foreignFilters: ["#"]).mosquitto),
        ] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        let hashing = try Process.run(URL(fileURLWithPath: "/usr/bin/mosquitto_passwd"), arguments: ["-U", passwords])
        hashing.waitUntilExit()
        let configuration = EmbeddedBrokerConfiguration(
            maximumPacketBytes: maximumPacketBytes,
            extraLines: ["allow_anonymous false", "password_file \(passwords)", "acl_file \(list)"] + extraLines)
        return GuardedBroker(
            broker: try await EmbeddedBroker.start(configuration), topics: topics, folder: folder)
    }

    /// The broker's address for a user.
    func endpoint(_ user: BusUser) -> MQTTEndpoint {
        MQTTEndpoint(
            host: "127.0.0.1", port: broker.port, username: "\(user.name)", password: Self.password(of: user.name))
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

    /// Subscribes as a user, calls `whenReady`, and gives each message to `take` until it returns true.
    func hear(
        as user: BusUser, _ filters: [String], version: MQTTVersion = .v5, whenReady: () async throws -> Void,
        take: (_ topic: String, _ text: String, _ isRetained: Bool) -> Bool
    ) async throws {
        let consumer = MQTTConsumer(
            configuration: connection(user, version: version), subscriptions: filters.map { MQTTSubscription($0) })
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
        consumer.stop()
        await consumer.waitUntilStopped()
    }

    private static func password(of user: DeviceID) -> String { "the password of \(user)" }
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
            try BusUser("wall", .viewer), try BusUser("front-desk", .operator), try BusUser("services", .services),
        ]
    }
}
