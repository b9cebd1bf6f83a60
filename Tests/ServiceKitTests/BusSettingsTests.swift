import PrivateBroker
import ServiceKit
import Configuration
import MQTT
import Testing
import Wire

@Suite struct BusSettingsTests {
    @Test("Without any setting it is the local broker, MQTT 5 and the root stride")
    func defaults() throws {
        let settings = try settings([:])
        #expect(settings.endpoint.description == "mqtt://localhost:1883")
        #expect(settings.topics.root == "stride")
        #expect(settings.version == .v5)
    }

    @Test("Certificates are read for mqtts and passed over for mqtt")
    func certificates() throws {
        let files: [AbsoluteConfigKey: ConfigValue] = ["tls-ca-file": "/ca.pem", "mqtt-version": "3.1.1"]
        let secure = try settings(files.merging(["broker": "mqtts://broker.gym"]) { $1 })
        #expect(secure.endpoint.tls?.caFile == "/ca.pem")
        #expect(secure.endpoint.port == 8883)
        #expect(secure.version == .v311)
        #expect(try settings(files).endpoint.tls == nil)
    }

    @Test(
        "A wrong setting is told by its key, with what to write",
        arguments: [
            ("broker", "http://broker"), ("root", "Gym/#"), ("root", ""), ("mqtt-version", "4"),
        ])
    func wrong(key: String, value: String) {
        let error = #expect(throws: SettingError.self) {
            _ = try settings([AbsoluteConfigKey([key]): .init(.string(value), isSecret: false)])
        }
        #expect(error?.key == key)
    }

    private func settings(_ values: [AbsoluteConfigKey: ConfigValue]) throws -> BusSettings {
        try BusSettings(config: ConfigReader(provider: InMemoryProvider(values: values)))
    }
}
