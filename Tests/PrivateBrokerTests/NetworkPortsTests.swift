import Foundation
import Logging
import MQTT
import PrivateBroker
import ServiceKit
import TestBroker
import Testing
import Wire

@Suite("The ports and sessions of a bus on the network", .timeLimit(.minutes(5)))
struct NetworkPortsTests {
    private let folder = TemporaryFolder()

    @Test("The port without TLS may be the one on loopback, as the documentation names it")
    func plainOnLoopback() async throws {
        let certificates = Certificates(folder: folder.path)
        let users = BusUsers(folder: folder.path, topics: try TopicTree())
        let settings = try settings(["tls-port": "0", "plain-port": "0"])
        _ = try NetworkKeeper.renew(certificates, settings, Logger(label: "test"))
        let password = try users.renewServices()
        let plain = try #require(settings.plainPort)
        try settings.checkPorts(loopback: plain, hasPage: false)
        var configuration = EmbeddedBrokerConfiguration(port: plain)
        configuration.network = NetworkListeners(settings, certificates, users)
        let broker = try await EmbeddedBroker.start(configuration)
        let producer = MQTTProducer(
            configuration: MQTTConnectionConfiguration(
                endpoint: MQTTEndpoint(host: "127.0.0.1", port: plain, username: BusUsers.services, password: password),
                clientID: "services"))
        try await producer.publish(MQTTPublication(topic: Array("stride/a/imu".utf8), payload: []))
        await producer.stop()
        // What has a port is named by that port.
        #expect(throws: BrokerError.portTaken(settings.tlsPort)) {
            try settings.checkPorts(loopback: 0, hasPage: false)
        }
        await broker.stop()
    }

    @Test(
        "Two listeners with one port are told by their names",
        arguments: [
            (["plain-port": "8883"], "plain-port"), (["page-port": "8883"], "page-port"),
            (["tls-port": "1"], "tls-port"),
        ])
    func samePort(more: [String: String], key: String) throws {
        let settings = try settings(more)
        let error = #expect(throws: SettingError.self) { try settings.checkPorts(loopback: 1, hasPage: true) }
        #expect(error?.key == key)
    }

    @Test("What the broker keeps for a service that is gone is forgotten with its session")
    func formerSessions() async throws {
        try await TestBroker.with { bus in
            let settings = BusSettings(endpoint: bus.endpoint, topics: try TopicTree())
            func session() -> MQTTConsumer {
                bus.consumer("stride/a/imu", id: "stridebus-ingest-stride-in", sessionExpirySeconds: 3_600)
            }
            let before = session()
            try await before.subscribed()
            await before.end()
            let producer = bus.producer()
            try await producer.publish(MQTTPublication("stride/a/imu", "before"))
            var keyed = settings
            keyed.clientKey = "secret"
            await ServiceConnection.forgetSession(of: .ingest, share: nil, on: keyed)
            await ServiceConnection.forgetSession(of: .ingest, share: nil, on: settings)
            let after = session()
            try await after.subscribed()
            try await producer.publish(MQTTPublication("stride/a/imu", "after"))
            #expect(try await after.payloads(count: 1) == ["after"])
        }
    }

    private func settings(_ more: [String: String]) throws -> NetworkSettings {
        let values = ["network": "on", "address": "127.0.0.1"].merging(more) { $1 }
        let environment = Dictionary(
            uniqueKeysWithValues: values.map {
                ("STRIDEBUS_" + $0.key.uppercased().replacing("-", with: "_"), $0.value)
            })
        return try #require(try NetworkSettings(config: ConfigurationSources(environment: environment).reader()))
    }
}
