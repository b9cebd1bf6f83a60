import MQTT
import Testing

@Suite("A broker's address")
struct EndpointTests {
    @Test(
        "Host, port, user and TLS are read; each form has its port, words are decoded, an IPv6 address stands in brackets",
        arguments: [
            ("mqtt://gym.example", MQTTEndpoint(host: "gym.example", port: 1883)),
            ("MQTT://10.0.0.1:2000/", MQTTEndpoint(host: "10.0.0.1", port: 2000)),
            ("mqtts://gym", MQTTEndpoint(host: "gym", port: 8883, tls: MQTTTLS())),
            ("mqtt://bike%2D7:p%40ss:w@h:1", MQTTEndpoint(host: "h", port: 1, username: "bike-7", password: "p@ss:w")),
            ("mqtt://[::1]:1884", MQTTEndpoint(host: "::1", port: 1884)),
        ])
    func read(text: String, expected: MQTTEndpoint) throws {
        let endpoint = try MQTTEndpoint(text)
        #expect(endpoint == expected)
        #expect(!endpoint.description.contains("p@ss") && (endpoint.host != "::1" || endpoint.description == text))
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
