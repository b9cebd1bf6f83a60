import Foundation
import MQTT
import Testing

@testable import PrivateBroker

@Suite("The page's listener on loopback", .timeLimit(.minutes(5)))
struct PageListenerTests {
    @Test("It alone asks for a user, whose password stays the same and stands in files of their owner's alone")
    func asksForAUser() async throws {
        try await withPage { page, folder in
            let lines = EmbeddedBrokerConfiguration(port: 1_883, page: page).text(isRoot: false).split(separator: "\n")
            let plain = try #require(lines.firstIndex(of: "listener 1883 127.0.0.1"))
            let browsers = try #require(lines.firstIndex(of: "protocol websockets"))
            #expect(lines.contains("per_listener_settings true"))
            #expect(lines[plain + 1] == "allow_anonymous true")
            #expect(lines[browsers...].contains("allow_anonymous false"))
            let password = try BusUsers.keptPassword(
                of: "operator", file: folder + "/password", hashes: folder + "/hashes")
            #expect(
                try BusUsers.keptPassword(of: "operator", file: folder + "/password", hashes: folder + "/hashes")
                    == password)
            for file in ["password", "hashes"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(file)")
                #expect(attributes[.posixPermissions] as? Int == 0o600)
            }
        }
    }

    @Test("Nothing of it listens beyond loopback")
    func loopbackAlone() async throws {
        try await withPage { page, _ in
            let broker = try await EmbeddedBroker.start(EmbeddedBrokerConfiguration(page: page))
            for port in [broker.port, try #require(broker.page?.port)] {
                let addresses = try Self.listening(on: port)
                // 127.0.0.1 as /proc/net/tcp writes it (proc(5)).
                #expect(addresses == ["0100007F"], "\(port)")
            }
            await broker.stop()
        }
    }

    /// The addresses on which something listens on a port, in the words of /proc/net.
    private static func listening(on port: Int) throws -> [String] {
        let suffix = ":" + ("000" + String(port, radix: 16, uppercase: true)).suffix(4)
        var addresses: [String] = []
        for table in ["tcp", "tcp6"] {
            // `String(contentsOfFile:)` would read its first page alone.
            let file = try #require(FileHandle(forReadingAtPath: "/proc/net/\(table)"))
            for line in String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n") {
                let fields = line.split(separator: " ")
                guard fields.count > 3, fields[1].hasSuffix(suffix), fields[3] == "0A" else { continue }
                addresses.append(String(fields[1].dropLast(suffix.count)))
            }
        }
        return addresses
    }

    @Test("What comes for a session that is away is kept though the broker came back on another port")
    func otherPort() async throws {
        try await withPage { page, folder in
            let configuration = EmbeddedBrokerConfiguration(persistenceDirectory: folder + "/broker", page: page)
            let first = try await EmbeddedBroker.start(configuration)
            let reader = try consumer(first)
            for try await batch in reader.batches {
                batch.acknowledge()
                break
            }
            reader.stop()
            await reader.waitUntilStopped()
            await first.stop()
            let second = try await EmbeddedBroker.start(configuration)
            try #require(second.port != first.port)
            let producer = MQTTProducer(
                configuration: MQTTConnectionConfiguration(endpoint: try MQTTEndpoint(second.url), clientID: "writer"))
            try await producer.publish(MQTTPublication(topic: "a/b", payload: Array("kept".utf8)))
            await producer.stop()
            let back = try consumer(second)
            var heard: [String] = []
            for try await batch in back.batches {
                heard += batch.map { String(decoding: $0.payload, as: UTF8.self) }
                batch.acknowledge()
                // The first batch says whether the session was kept, and may be empty.
                if batch.connection?.sessionPresent == false || !heard.isEmpty { break }
            }
            #expect(heard == ["kept"])
            back.stop()
            await back.waitUntilStopped()
            await second.stop()
        }
    }

    private func consumer(_ broker: EmbeddedBroker) throws -> MQTTConsumer {
        MQTTConsumer(
            configuration: MQTTConnectionConfiguration(
                endpoint: try MQTTEndpoint(broker.url), clientID: "reader", sessionExpirySeconds: 600),
            subscriptions: [MQTTSubscription("a/b")])
    }

    private func withPage(_ body: (PageListener, _ folder: String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("page-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let hashes = folder + "/page-hashes"
        _ = try BusUsers.keptPassword(of: "operator", file: folder + "/page-password", hashes: hashes)
        try await body(PageListener(directory: folder, passwordFile: hashes), folder)
    }
}
