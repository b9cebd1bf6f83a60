import History
import TestBroker
import Testing
import Wire

@Suite("What operators say about devices, over the bus", .timeLimit(.minutes(5)))
struct ConfiguredDeviceTests {
    private let bike: DeviceID = "bike-07"
    /// 2026-11-20T17:30:00Z and running, and its minute.
    private let clock = TestClock(seconds: 1_795_195_800)
    private let minute: Int64 = 1_795_195_800 / 60

    @Test("A device of which nobody has said anything is counted, and listed as new until somebody has")
    func new() async throws {
        try await withScope { scope in
            let listener = try await scope.listener(
                "stride/bike-07/+", "stride/reply/#")
            try await scope.withHistory(now: clock.nowSeconds) {
                try await scope.count(bike, minute: minute, revolutions: 40, after: 0, through: 1)
                _ = try await listener.wait(for: "stride/bike-07/total") { $0.text.contains(":40") }
                try await scope.ask(.devices, #"{"reply_to":"stride/reply/first"}"#)
                let first = try await listener.wait(for: "stride/reply/first").data(DevicesData.self)
                #expect(first.devices.map(\.isNew) == [true])

                try await scope.ask(
                    .devicesConfigure,
                    #"{"device":"bike-07","config":{"kind":"bike","zone":"Asia/Tokyo"},"reply_to":"stride/reply/set"}"#)
                let set = try await listener.wait(for: "stride/reply/set").data(DeviceConfig.self)
                #expect(set.kind == .bike && set.zone == "Asia/Tokyo")
                _ = try await listener.wait(for: "stride/bike-07/day") { $0.text.contains("Asia/Tokyo") }
                try await scope.ask(.devices, #"{"reply_to":"stride/reply/second"}"#)
                let second = try await listener.wait(for: "stride/reply/second").data(DevicesData.self)
                #expect(second.devices.map(\.isNew) == [false])
                #expect(second.devices.map(\.kind) == [.bike])
            }
            let late = try await scope.listener("stride/bike-07/config")
            let config = try await late.wait(for: "stride/bike-07/config")
            #expect(try DeviceConfig(json: config.payload).zone == "Asia/Tokyo")
        }
    }

    @Test("A merge changes the named fields, takes away those that are null, and keeps what others have said")
    func merged() async throws {
        try await withScope { scope in
            let listener = try await scope.listener("stride/+/config", "stride/reply/#")
            let known = #"{"kind":"bike","zone":"Asia/Tokyo","height_m":1.8,"colour":"red"}"#
            try await scope.publish(.device(bike, .config), Array(known.utf8), retain: true)
            _ = try await listener.wait(for: "stride/bike-07/config")
            try await scope.withHistory(now: clock.nowSeconds) {
                func merge(_ config: String, _ reply: String) async throws -> String {
                    try await scope.ask(
                        .devicesConfigure,
                        #"{"device":"bike-07","config":\#(config),"merge":true,"reply_to":"stride/reply/\#(reply)"}"#)
                    return try await listener.wait(for: "stride/reply/\(reply)").text
                }
                let first = try await merge(#"{"estimator":"periodic","height_m":null}"#, "one")
                #expect(
                    first.contains(#"{"kind":"bike","zone":"Asia/Tokyo","colour":"red","estimator":"periodic"}"#),
                    "\(first)")
                // Before the broker has said the first one again.
                let second = try await merge(#"{"placement":"crank"}"#, "two")
                #expect(second.contains(#""estimator":"periodic","placement":"crank"}"#), "\(second)")
                let wrong = try await merge(#"{"color":"blue"}"#, "three")
                #expect(wrong.contains("there is no 'color'"))
                // What a device has that nobody has described.
                try await scope.ask(
                    .devicesConfigure,
                    #"{"device":"bike-09","config":{"kind":"bike"},"merge":true,"reply_to":"stride/reply/new"}"#)
                #expect(try await listener.wait(for: "stride/reply/new").text.contains(#""data":{"kind":"bike"}"#))
            }
        }
    }

    @Test("A config that is wrong is answered with what is wrong, and nothing is retained")
    func refused() async throws {
        try await withScope { scope in
            let listener = try await scope.listener(
                "stride/+/config", "stride/reply/#")
            try await scope.withHistory(now: clock.nowSeconds) {
                try await scope.ask(
                    .devicesConfigure, #"{"device":"bike-07","config":{"height_m":178},"reply_to":"stride/reply/me"}"#)
                let reply = try await listener.wait(for: "stride/reply/me")
                #expect(reply.text.contains("'height_m' is 178: give 0.5 to 2.5 metres"))
                try await scope.ask(
                    .devicesConfigure,
                    #"{"device":"bike-07","config":{"colour":"red"},"reply_to":"stride/reply/strict"}"#)
                let strict = try await listener.wait(for: "stride/reply/strict")
                #expect(strict.text.contains("there is no 'colour'"))
                try await scope.ask(
                    .devicesConfigure,
                    #"{"device":"bike-08","config":{"colour":"red"},"keep_unknown":true,"reply_to":"stride/reply/kept"}"#
                )
                let kept = try await listener.wait(for: "stride/reply/kept")
                #expect(kept.text.contains(#""data":{"colour":"red"}"#))
            }
            #expect(try await scope.bus.retained("stride/bike-07/config").isEmpty)
        }
    }
}
