import MQTT
import Testing

@Suite("A broker's address")
struct EndpointTests {
    @Test("The plain form has MQTT's port")
    func plain() throws {
        #expect(try MQTTEndpoint("mqtt://gym.example") == MQTTEndpoint(host: "gym.example", port: 1883))
        #expect(try MQTTEndpoint("MQTT://10.0.0.1:2000/") == MQTTEndpoint(host: "10.0.0.1", port: 2000))
    }

    @Test("mqtts has TLS and its port")
    func secure() throws {
        #expect(try MQTTEndpoint("mqtts://gym") == MQTTEndpoint(host: "gym", port: 8883, tls: MQTTTLS()))
    }

    @Test("User and password are decoded")
    func user() throws {
        let endpoint = try MQTTEndpoint("mqtt://bike%2D7:p%40ss:w@h:1")
        #expect(endpoint.username == "bike-7")
        #expect(endpoint.password == "p@ss:w")
        #expect(endpoint.host == "h")
        #expect(!endpoint.description.contains("p@ss"))
    }

    @Test("An IPv6 address stands in brackets")
    func ipv6() throws {
        let endpoint = try MQTTEndpoint("mqtt://[::1]:1884")
        #expect(endpoint.host == "::1")
        #expect(endpoint.port == 1884)
        #expect(endpoint.description == "mqtt://[::1]:1884")
    }

    @Test(
        "What is not an address is an error with advice",
        arguments: [
            "", "gym", "http://gym", "mqtt://", "mqtt://:1883", "mqtt://h:", "mqtt://h:0", "mqtt://h:65536",
            "mqtt://h:x", "mqtt://@h", "mqtt://u%zz@h", "mqtt://u%00@h", "mqtt://[::1", "mqtt://[::1]x", "mqtt://h/a/b",
            "mqtt://h?x", "mqtt://a b",
        ])
    func refused(text: String) {
        let error = #expect(throws: MQTTError.self) { try MQTTEndpoint(text) }
        #expect(error?.code == .invalidEndpoint)
        #expect(error?.message.contains("mqtt://user:password@host:1883") == true)
    }
}
