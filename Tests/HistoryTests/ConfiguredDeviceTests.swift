import History
import MQTT
import TestBroker
import Testing
import Wire

@Suite("What operators say about devices, over the bus", .timeLimit(.minutes(5)))
struct ConfiguredDeviceTests {
    private let bike: DeviceID = "bike-07"

    @Test("A device of which nobody has said anything is counted, and listed as new until somebody has")
    func new() async throws {
        try await withScope { scope in
            let listener = try await scope.listener("stride/bike-07/+")
            try await scope.withHistory {
                try await scope.count(bike, revolutions: 40, heardBy: listener)
                let first = try await scope.answer(to: .devices, "{}").data(Page<DeviceEntry>.self)
                #expect(first.rows.map(\.isNew) == [true])

                let config = #"{"device":"bike-07","config":{"kind":"bike","zone":"Asia/Tokyo"}}"#
                let set = try await scope.answer(to: .devicesConfigure, config).data(DeviceConfig.self)
                #expect(set.kind == .bike && set.zone == "Asia/Tokyo")
                _ = try await listener.wait(for: "stride/bike-07/day") { $0.text.contains("Asia/Tokyo") }
                let second = try await scope.answer(to: .devices, "{}").data(Page<DeviceEntry>.self)
                #expect(second.rows.map(\.isNew) == [false])
                #expect(second.rows.map(\.kind) == [.bike])
            }
            let late = try await scope.listener("stride/bike-07/config")
            let config = try await late.wait(for: "stride/bike-07/config")
            #expect(try DeviceConfig(json: config.payload).zone == "Asia/Tokyo")
        }
    }

    @Test("A merge changes the named fields, takes away those that are null, and keeps what others have said")
    func merged() async throws {
        try await withScope { scope in
            let listener = try await scope.listener("stride/+/config")
            let known = #"{"kind":"bike","zone":"Asia/Tokyo","height_m":1.8,"colour":"red"}"#
            try await scope.publish(.device(bike, .config), Array(known.utf8), retain: true)
            _ = try await listener.wait(for: "stride/bike-07/config")
            try await scope.withHistory {
                func merge(_ config: String, of device: String = "bike-07") async throws -> String {
                    let json = #"{"device":"\#(device)","config":\#(config),"merge":true}"#
                    return try await scope.answer(to: .devicesConfigure, json).text
                }
                let first = try await merge(#"{"estimator":"periodic","height_m":null}"#)
                #expect(
                    first.contains(#"{"kind":"bike","zone":"Asia/Tokyo","colour":"red","estimator":"periodic"}"#),
                    "\(first)")
                // Before the broker has said the first one again.
                let second = try await merge(#"{"placement":"crank"}"#)
                #expect(second.contains(#""estimator":"periodic","placement":"crank"}"#), "\(second)")
                let wrong = try await merge(#"{"color":"blue"}"#)
                #expect(wrong.contains("there is no 'color'"))
                // What a device has that nobody has described.
                let new = try await merge(#"{"kind":"bike"}"#, of: "bike-09")
                #expect(new.contains(#""data":{"kind":"bike"}"#))
            }
        }
    }

    @Test("Of fields that are changed at once each stays")
    func mergedAtOnce() async throws {
        try await withScope { scope in
            let listener = try await scope.listener("stride/bike-07/config")
            try await scope.withHistory {
                let fields = [
                    #""kind":"bike""#, #""zone":"Asia/Tokyo""#, #""placement":"crank""#, #""height_m":1.8"#,
                    #""day_start":"04:00""#, #""metres_per_revolution":4"#, #""metres_per_stride":1.5"#,
                ]
                for field in fields {
                    try await scope.ask(
                        .devicesConfigure, #"{"device":"bike-07","config":{\#(field)},"merge":true}"#,
                        MQTTProperties(responseTopic: "stride/reply/all", correlationData: [1]))
                }
                _ = try await listener.wait(for: "stride/bike-07/config") { config in
                    fields.allSatisfy { config.text.contains($0) }
                }
            }
        }
    }

    @Test("A config that is wrong is answered with what is wrong, and nothing is retained")
    func refused() async throws {
        try await withScope { scope in
            try await scope.withHistory {
                for (json, words) in [
                    (#"{"device":"bike-07","config":{"height_m":178}}"#, "'height_m' is 178: give 0.5 to 2.5 metres"),
                    (#"{"device":"bike-07","config":{"colour":"red"}}"#, "there is no 'colour'"),
                    (
                        #"{"device":"bike-08","config":{"colour":"red"},"keep_unknown":true}"#,
                        #""data":{"colour":"red"}"#
                    ),
                ] {
                    let reply = try await scope.answer(to: .devicesConfigure, json).text
                    #expect(reply.contains(words), "\(reply)")
                }
            }
            #expect(try await scope.bus.retained("stride/bike-07/config").isEmpty)
        }
    }
}
