import History
import MQTT
import ServiceKit
import Testing
import Wire

@Suite("Notices over a real broker", .timeLimit(.minutes(5)))
struct LiveServiceTests {
    let bike: DeviceID
    let clock = TestClock(seconds: 1_795_195_800)
    let minute: Int64 = 1_795_195_800 / 60

    init() throws {
        bike = try DeviceID("bike-07")
    }

    @Test(
        "Notices come at n, 2n, 3n to the asker's topic, and go on when a history that was started again is told of the lease"
    )
    func notices() async throws {
        try await withScope { scope in
            let listener = try await scope.listener(
                "stride/reply/#", "stride/bike-07/total")
            try await scope.withHistory(now: clock.nowSeconds) {
                // A bike that nobody has heard of yet.
                try await scope.ask(
                    .liveStart, #"{"device":"bike-07","every":10,"counts":"revolutions","transaction":"a"}"#,
                    MQTTProperties(responseTopic: "stride/reply/me/live", correlationData: [7]))
                let lease = try await listener.wait(for: "stride/reply/me/live")
                let begun = try lease.data(LiveLeaseData.self)
                #expect(begun.counts == .revolutions)
                #expect(begun.from == Double(minute) * 60)
                try await scope.count(bike, minute: minute, revolutions: 25, after: 0, through: 1)
                let second = try await listener.wait(for: "stride/reply/me/live") { $0.number == 2 }
                #expect(second.correlationData == [7])
                #expect(!second.isRetained)
                #expect(second.text.contains(#""transaction":"a""#))
                #expect(try second.data(LiveNotice.self).counted == 20)
                #expect(try second.data(LiveNotice.self).today == 25)
            }
            try await scope.count(bike, minute: minute + 1, revolutions: 16, after: 1, through: 2)
            try await scope.withHistory(now: clock.nowSeconds) {
                _ = try await listener.wait(for: "stride/bike-07/total") { $0.text.contains(":41") }
                // Both the reply to the renewal and the next notice make good what was not said meanwhile.
                try await scope.ask(
                    .liveStart,
                    #"{"device":"bike-07","every":10,"counts":"revolutions","from":\#(minute * 60),"reply_to":"stride/reply/me/live"}"#
                )
                let renewed = try await listener.wait(for: "stride/reply/me/live") {
                    (try? $0.data(LiveLeaseData.self))?.counted == 41
                }
                #expect(try renewed.data(LiveLeaseData.self).number == 4)
                try await scope.count(bike, minute: minute + 2, revolutions: 10, after: 2, through: 3)
                let next = try await listener.wait(for: "stride/reply/me/live") { $0.number == 5 }
                #expect(try next.data(LiveNotice.self).counted == 50)
                try await scope.ask(.liveStop, #"{"device":"bike-07","reply_to":"stride/reply/me/live"}"#)
                let stop = try await listener.wait(for: "stride/reply/me/live") { $0.text.contains("stopped") }
                #expect(try stop.data(LiveStopData.self).wasActive)
            }
            let numbers = listener.heard.filter { $0.topic == "stride/reply/me/live" }.compactMap(\.number)
            #expect(numbers == [1, 2, 5])
        }
    }

    @Test("Notices are never sent where everybody listens, and a bike has no steps to tell")
    func refused() async throws {
        try await withScope { scope in
            let listener = try await scope.listener(
                "stride/reply/#", "stride/bike-07/total")
            let config = #"{"kind":"bike"}"#
            try await scope.publish(.device(bike, .config), Array(config.utf8), retain: true)
            try await scope.withHistory(now: clock.nowSeconds) {
                try await scope.ask(.liveStart, #"{"device":"bike-07","every":10}"#)
                let shared = try await listener.wait(for: "stride/reply/live/start")
                #expect(shared.text.contains(#""code":"bad_request""#))
                try await scope.ask(.liveStart, #"{"device":"bike-07","reply_to":"stride/reply/me"}"#)
                let countless = try await listener.wait(for: "stride/reply/me")
                #expect(countless.text.contains("'every'"))
                try await scope.count(bike, minute: minute, revolutions: 25, after: 0, through: 1)
                _ = try await listener.wait(for: "stride/bike-07/total") { $0.text.contains(":25") }
                try await scope.ask(
                    .liveStart, #"{"device":"bike-07","every":10,"counts":"steps","reply_to":"stride/reply/us"}"#)
                let stepless = try await listener.wait(for: "stride/reply/us")
                #expect(stepless.text.contains(#""code":"not_available""#))
            }
        }
    }
}

extension BusListener.Heard {
    /// The data of a reply.
    func data<Data: JSONPayload>(_: Data.Type) throws -> Data {
        guard case .ok(_, let data) = try HistoryReply(json: payload) else { throw WireError.malformed }
        return try Data(json: data)
    }

    /// The number of a notice; nil for anything else.
    var number: UInt64? { try? data(LiveNotice.self).number }
}
