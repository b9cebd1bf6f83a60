import Foundation
import History
import MQTT
import PrivateBroker
import ServiceKit
import ServiceLifecycle
import TestBroker
import Testing

@testable import Wire

@Suite("History over a real broker", .timeLimit(.minutes(5)))
struct HistoryServiceTests {
    let bike: DeviceID = "bike-07"

    @Test("Counts come in, the device's day and total are retained")
    func retainedTotals() async throws {
        try await withScope { scope in
            let listener = try await scope.listener("stride/bike-07/+", "stride/service/history/+")
            try await scope.withHistory {
                #expect(try await listener.wait(for: "stride/service/history/status").text == "online")
                try await scope.count(bike, minute: scope.minute - 1440, revolutions: 10)
                try await scope.count(bike, revolutions: 84, after: 1, through: 2)
                let total = try await listener.wait(for: "stride/bike-07/total") {
                    $0.text.contains(#""revolutions":94"#)
                }
                #expect(try DeviceTotals(json: total.payload).coveredSeconds == 120)
                let day = try await listener.wait(for: "stride/bike-07/day") { $0.text.contains(#""revolutions":84"#) }
                #expect(try DayTotals(json: day.payload).date == "2026-11-20")
                let late = try await scope.listener("stride/bike-07/+")
                #expect(try await late.wait(for: "stride/bike-07/day").isRetained)
            }
            _ = try await listener.wait(for: "stride/service/history/status") { $0.text == "offline" }
            let health = try await listener.wait(for: "stride/service/history/health") {
                $0.text.contains(#""rows_applied":2"#)
            }
            #expect(try ServiceHealth(json: health.payload)["gaps"] == 0)
        }
    }

    @Test(
        "Of two histories of one root the older one ends, with one line that says why",
        arguments: [MQTTVersion.v5, .v311])
    func takenOver(version: MQTTVersion) async throws {
        try await withScope { scope in
            let listener = try await scope.listener("stride/bike-07/total", "stride/service/history/status")
            let older = try scope.group(
                [(scope.topics, try scope.folder.store())], version: version)
            let running = Task { try await older.run() }
            _ = try await listener.wait(for: "stride/service/history/status") { $0.text == "online" }
            let folder = StoreFolder()
            try await scope.withHistory(try folder.store(), version: version) {
                await #expect(throws: ServiceConnectionError.takenOver(.history, root: "stride")) {
                    try await running.value
                }
                try await scope.count(bike, revolutions: 84, heardBy: listener)
            }
        }
    }

    @Test("A store that has just begun publishes nothing while messages of a counter are missing")
    func newStore() async throws {
        try await withScope { scope in
            let listener = try await scope.listener("stride/bike-07/+", "stride/service/resend/counts")
            try await scope.withHistory {
                try await scope.count(bike, revolutions: 30, after: 5, through: 6)
                _ = try await listener.wait(for: "stride/service/resend/counts")
                try await scope.count(bike, minute: scope.minute - 1440, revolutions: 100, after: 0, through: 6)
                _ = try await listener.wait(for: "stride/bike-07/total")
                let told = try listener.heard.filter { $0.topic == "stride/bike-07/total" }
                    .map { try DeviceTotals(json: $0.payload).revolutions }
                #expect(told == [130])
            }
        }
    }

    @Test("A broker that comes back without its retained messages is given every total again")
    func brokerForgets() async throws {
        try await withScope { scope in
            let listener = try await scope.listener("stride/bike-07/total")
            try await scope.withHistory(now: WallClock.seconds) {
                try await scope.count(bike, revolutions: 84, heardBy: listener)
                scope.broker.kill()
                await scope.broker.ended()
                try await scope.broker.restart()
                let late = try await scope.listener("stride/bike-07/total")
                #expect(try await late.wait(for: "stride/bike-07/total").text.contains(":84"))
            }
        }
    }

    @Test("A history that starts with an old store on a broker that has lost its files gives it every total again")
    func brokerWiped() async throws {
        let files = StoreFolder()
        let persistence = EmbeddedBrokerConfiguration(persistenceDirectory: files.path)
        try await withScope(persistence) { scope in
            // More than are read or published in one round.
            let count = 600
            try await scope.keep(scope.minute, ofDevices: count, in: try scope.folder.store())
            for isWiped in [false, true] {
                if isWiped {
                    scope.broker.kill()
                    await scope.broker.ended()
                    try FileManager.default.removeItem(atPath: files.path + "/mosquitto.db")
                    try await scope.broker.restart()
                }
                let listener = try await scope.listener("stride/+/total")
                try await scope.withHistory {
                    _ = try await listener.wait(untilHeard: count)
                }
                let late = try await scope.listener("stride/+/total")
                let totals = try await late.wait(untilHeard: count)
                #expect(totals.allSatisfy { $0.isRetained && $0.text.contains(":42") })
                // Written to its file when it is told to end.
                if !isWiped { try await scope.broker.restart() }
            }
        }
    }

    @Test("A request is answered on its Response Topic with its Correlation Data, never retained")
    func responseTopic() async throws {
        try await withScope { scope in
            let listener = try await scope.listener(
                "stride/reply/#", "stride/bike-07/total")
            try await scope.withHistory {
                try await scope.count(bike, revolutions: 84, heardBy: listener)
                let properties = MQTTProperties(responseTopic: "stride/reply/me/1", correlationData: [9, 8, 7])
                try await scope.ask(.historyDays, #"{"device":"bike-07"}"#, properties)
                let reply = try await listener.wait(for: "stride/reply/me/1")
                #expect(reply.correlationData == [9, 8, 7])
                #expect(!reply.isRetained)
                guard case .ok(_, let data) = try HistoryReply(json: reply.payload) else {
                    Issue.record("no data: \(reply.text)")
                    return
                }
                #expect(try Page<DayTotals>(json: data).rows.last?.revolutions == 84)
            }
            #expect(try await scope.bus.retained("stride/reply/#").isEmpty)
        }
    }

    @Test(
        "A request with reply_to and transaction in its payload is answered there; without, on the verb's topic",
        arguments: [MQTTVersion.v311, .v5])
    func replyTo(version: MQTTVersion) async throws {
        try await withScope { scope in
            let listener = try await scope.listener("stride/reply/#")
            try await scope.withHistory(version: version) {
                try await scope.ask(.devices, #"{"reply_to":"stride/reply/esp","transaction":5}"#)
                let named = try await listener.wait(for: "stride/reply/esp")
                #expect(named.text.hasPrefix(#"{"status":"ok","transaction":5,"data":{"devices":["#))
                try await scope.ask(.historySeries, #"{"device":"bike-07","bucket":"century","transaction":"x"}"#)
                let reply = try await listener.wait(for: "stride/reply/history/series")
                #expect(reply.text.contains(#""code":"bad_request""#))
                #expect(reply.text.contains(#""transaction":"x""#))
            }
        }
    }

    @Test("A hostile Response Topic and a retained request change nothing and are counted")
    func hostile() async throws {
        try await withScope { scope in
            let listener = try await scope.listener("stride/reply/#", "stride/bike-07/+", "stride/service/history/+")
            try await scope.publish(.request(.devices), Array(#"{"reply_to":"stride/reply/old"}"#.utf8), retain: true)
            try await scope.withHistory {
                let hostile = MQTTProperties(responseTopic: "stride/bike-07/config", correlationData: [1])
                try await scope.ask(.devices, "{}", hostile)
                try await scope.ask(.devices, #"{"reply_to":"stride/reply/second"}"#)
                _ = try await listener.wait(for: "stride/reply/second")
            }
            let health = try await listener.wait(for: "stride/service/history/health") { heard in
                (try? ServiceHealth(json: heard.payload))?["replies_unsafe"] == 1
            }
            #expect(try ServiceHealth(json: health.payload)["requests_retained"] == 1)
            #expect(!listener.heard.contains { $0.topic == "stride/bike-07/config" || $0.topic == "stride/reply/old" })
        }
    }

    @Test("What the broker lost with the session is asked for again and comes back")
    func lostSession() async throws {
        try await withScope { scope in
            let resend = "stride/service/resend/counts"
            let listener = try await scope.listener("stride/bike-07/total", resend)
            try await scope.withHistory {
                _ = try await listener.wait(for: resend) {
                    (try? CountsResend($0)) == CountsResend()
                }
                try await scope.count(bike, revolutions: 40, after: 0, through: 3, heardBy: listener)
            }
            try await scope.forgetSession(of: "stridebus-history-stride-in")
            try await scope.count(bike, minute: scope.minute + 1, revolutions: 1, after: 3, through: 5)
            try await scope.withHistory {
                _ = try await listener.wait(for: resend) {
                    (try? CountsResend($0)) == CountsResend(revisions: [7: 3])
                }
                try await scope.count(
                    bike, minute: scope.minute + 1, revolutions: 2, after: 3, through: 6, total: 42, heardBy: listener)
            }
        }
    }

    @Test("Minutes older than 400 days go by themselves, and health says how many")
    func compaction() async throws {
        try await withScope { scope in
            try await scope.keep(scope.minute - 402 * 1440, ofDevices: 3, in: try scope.folder.store())
            let listener = try await scope.listener("stride/service/history/health")
            try await scope.withHistory {
                _ = try await listener.wait(for: "stride/service/history/health") { heard in
                    // Health is due every ten seconds.
                    scope.clock.set(scope.clock.nowSeconds() + 10)
                    return (try? ServiceHealth(json: heard.payload))?["minutes_compacted"] == 3
                }
            }
        }
    }
}

extension HistoryScope {
    func ask(_ verb: RequestVerb, _ payload: String, _ properties: MQTTProperties? = nil) async throws {
        try await producer.publish(
            MQTTPublication(topic: topics.bytes(.request(verb)), payload: Array(payload.utf8), properties: properties))
    }

    /// Asks, and gives the reply.
    func answer(to verb: RequestVerb, _ payload: String) async throws -> BusListener.Heard {
        let topic = "stride/reply/\(UInt64.random(in: .min ... .max))"
        let listener = try await listener(topic)
        try await ask(verb, payload, MQTTProperties(responseTopic: topic, correlationData: [1]))
        return try await listener.wait(for: topic)
    }

    /// Drops what the broker keeps for a client.
    func forgetSession(of clientID: String) async throws {
        let consumer = bus.consumer("stride/nothing", id: clientID)
        try await consumer.subscribed()
        await consumer.end()
    }
}

extension CountsResend {
    init(_ heard: BusListener.Heard) throws {
        self = try heard.payload.withRawBytes { bytes throws(WireError) in try CountsResend(decoding: bytes) }
    }
}
