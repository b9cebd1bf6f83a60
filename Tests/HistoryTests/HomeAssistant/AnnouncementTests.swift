import History
import MQTT
import TestBroker
import Testing
import Wire

@Suite("Devices in Home Assistant", .timeLimit(.minutes(5)))
struct AnnouncementTests {
    private let bike: DeviceID = "bike-07"
    private static let topic = "homeassistant/device/stride_bike-07/config"

    @Test("A device appears when it is first counted, again when Home Assistant starts, and goes when it is forgotten")
    func life() async throws {
        try await withScope(homeAssistant: "homeassistant") { scope in
            let listener = try await scope.listener("homeassistant/#")
            try await scope.withHistory {
                try await scope.count(bike, revolutions: 40)
                let announced = try await listener.wait(for: Self.topic) { $0.text.contains("revolutions_today") }
                #expect(try DiscoveryRules().problems(topic: Self.topic, payload: announced.payload) == [])

                let late = try await scope.listener("homeassistant/device/#")
                _ = try await late.wait(for: Self.topic)
                try await scope.publish(home: "online")
                _ = try await late.wait(for: Self.topic) { !$0.isRetained && !$0.payload.isEmpty }
                try await scope.ask(.devicesForget, #"{"device":"bike-07","reply_to":"stride/reply/me"}"#)
                _ = try await late.wait(for: Self.topic) { $0.payload.isEmpty }
            }
        }
    }

    @Test("Nothing is announced unless a prefix is configured")
    func off() async throws {
        try await withScope { scope in
            let listener = try await scope.listener(
                "homeassistant/#", "stride/bike-07/total")
            try await scope.withHistory {
                try await scope.count(bike, revolutions: 40, heardBy: listener)
            }
            #expect(try await scope.bus.retained("homeassistant/#").isEmpty)
        }
    }
}

extension HistoryScope {
    /// Says what Home Assistant says of itself.
    fileprivate func publish(home status: String) async throws {
        try await producer.publish(
            MQTTPublication(topic: "homeassistant/status", payload: Array(status.utf8)))
    }
}
