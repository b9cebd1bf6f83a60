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
    static func start(users: [BusUser], extraLines: [String] = []) async throws -> GuardedBroker {
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
