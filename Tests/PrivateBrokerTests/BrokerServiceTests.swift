import PrivateBroker
import stridebus
import Logging
import MQTT
import ServiceLifecycle
import Testing

@Suite(.timeLimit(.minutes(5)))
struct BrokerServiceTests {
    @Test("A private broker that is killed comes back, until the group is shut down")
    func comesBack() async throws {
        let broker = try await EmbeddedBroker.start()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let group = BusRun.group(
            of: [broker], signals: [], logger: logger)
        async let running: Void = group.run()
        let client = MQTTProducer(
            configuration: MQTTConnectionConfiguration(endpoint: try MQTTEndpoint(broker.url), clientID: "client"))
        for await state in client.events {
            guard case .connected(let session) = state else { continue }
            if session.connectionNumber == 3 { break }
            broker.kill()
        }
        await client.stop()
        await group.triggerGracefulShutdown()
        try await running
    }
}
