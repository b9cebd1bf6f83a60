import Testing

@testable import MQTT

@Suite("Errors")
struct ErrorTests {
    @Test(
        "A reason code becomes a kind and says whether to try again",
        arguments: [
            (UInt8(1), MQTTError.Code.unsupportedVersion, false), (2, .clientIDRejected, false),
            (3, .serverUnavailable, true), (4, .badCredentials, false), (5, .notAuthorized, false),
            (0x84, .unsupportedVersion, false), (0x85, .clientIDRejected, false), (0x86, .badCredentials, false),
            (0x87, .notAuthorized, false), (0x88, .serverUnavailable, true), (0x89, .serverUnavailable, true),
            (0x8E, .sessionTakenOver, false), (0x95, .payloadTooLarge, false), (0x98, .connectionLost, true),
            (0xF7, .refused, false),
        ])
    func reasons(reason: UInt8, code: MQTTError.Code, isRetriable: Bool) {
        let error = MQTTError.refused(reason: reason, what: "publishing")
        #expect(error.code == code)
        #expect(error.isRetriable == isRetriable)
        #expect(error.reasonCode == reason)
        #expect(!error.message.contains("\n"))
    }

    @Test(
        "A code of libmosquitto becomes a kind",
        arguments: [
            (Int32(4), MQTTError.Code.connectionLost, true), (7, .connectionLost, true), (19, .keepAliveTimeout, true),
            (14, .connectionLost, true), (8, .tls, false), (18, .protocolViolation, true),
            (25, .payloadTooLarge, false),
            (99, .library, true),
        ])
    func libraryCodes(number: Int32, code: MQTTError.Code, isRetriable: Bool) {
        let error = MQTTError.mosquitto(number, errorNumber: 111)
        #expect(error.code == code)
        #expect(error.isRetriable == isRetriable)
    }

    @Test("What a web server answers is told as what it is, and not as the success of the last call")
    func noMQTT() {
        #expect(MQTTError.mosquitto(14, errorNumber: 0).message.hasPrefix("what came is no MQTT"))
    }

    @Test(
        "A topic with a wildcard, a NUL, nothing or bytes that are not UTF-8 in it cannot be published to",
        arguments: ["a/+", "#", "", "a\u{0}b"].map { Array($0.utf8) } + [[0x61, 0xFF]])
    func unpublishable(topic: [UInt8]) {
        #expect(throws: MQTTError.self) { try MQTTPublication(topic: topic, payload: []).check() }
    }
}
