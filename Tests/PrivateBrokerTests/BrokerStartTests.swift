import Testing

@testable import PrivateBroker

@Suite("The start of a broker", .timeLimit(.minutes(5)))
struct BrokerStartTests {
    @Test("A port that somebody took in the meantime is told from other failures")
    func takenPort() async throws {
        let broker = try await EmbeddedBroker.start()
        let configuration = EmbeddedBrokerConfiguration()
        let files = try BrokerFiles(configuration: configuration)
        defer { files.remove() }
        let error = await #expect(throws: EmbeddedBrokerError.self) {
            _ = try await BrokerStart(configuration: configuration, files: files).run(port: broker.port)
        }
        #expect(error?.description.contains("Address already in use") == true)
        #expect(LoopbackPort.accepts(port: broker.port))
        await broker.stop()
    }

    @Test("It listens on the loopback address alone, with the limits of its configuration")
    func text() {
        let configuration = EmbeddedBrokerConfiguration(
            persistenceDirectory: "/data", maximumQueuedMessages: 7, extraLines: ["max_connections 9"])
        let lines = configuration.text(port: 1_234, isRoot: true).split(separator: "\n")
        #expect(lines.contains("listener 1234 127.0.0.1"))
        #expect(lines.contains("max_queued_messages 7"))
        #expect(lines.contains("persistence_location /data/"))
        #expect(lines.contains("user root"))
        #expect(lines.last == "max_connections 9")
    }
}
