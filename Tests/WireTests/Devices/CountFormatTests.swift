import Testing
import Wire

@Suite("Counts of devices that know nothing of stridebus")
struct CountFormatTests {
    @Test("ESPHome's and Home Assistant's numbers are what their source says")
    func numbers() throws {
        var rpm = try DeviceScene("filter=bike12/sensor/cadence/state format=number quantity=rpm device=bike-12")
        #expect(try rpm.decode("87.5").cadences == [87.5])
        for absence in ["unknown", "unavailable", "nan"] { #expect(try rpm.decode(absence) == []) }
        #expect(throws: WireError.malformed) { try rpm.decode("87,5") }
        #expect(throws: WireError.emptyPayload) { try rpm.decode("") }
        #expect(try rpm.decode("2000").refused == [.outOfRange])
        var total = try DeviceScene("filter=a format=number quantity=revolutions device=bike-12")
        #expect(try total.decode("1500").revolutions.map(\.cumulative) == [1500])
        var day = try DeviceScene("filter=a format=number quantity=day-steps device=phone")
        #expect(try day.decode("8123").steps.map(\.kind) == [.day])
        var boot = try DeviceScene("filter=a format=number quantity=boot-steps device=phone")
        #expect(try boot.decode("812").steps.map(\.kind) == [.boot])
        #expect(try day.decode("8123.0").steps.map(\.steps) == [8123])
        for text in ["8.123", "0.5", "8123.5"] {
            #expect(throws: WireError.fractionalCount) { try day.decode(text) }
            #expect(throws: WireError.fractionalCount) { try boot.decode(text) }
        }
    }

    @Test("A mapping takes any JSON apart by its pointers, units and scales")
    func mapping() throws {
        var scene = try DeviceScene(
            "filter=shop/+/imu format=mapping device=$.id ax=/m/acc/0*9.80665 ay=/m/acc/1*9.80665 "
                + "az=/m/acc/2*9.80665 t=/time rpm=/crank~1rpm")
        let contents = try scene.decode(#"{"id":"A 7","m":{"acc":[0,0,1]},"time":1763673600123,"crank/rpm":61.5}"#)
        #expect(contents.frames.first?.values == [0, 0, 9.80665])
        #expect(contents.frames.first?.time == .utc(microseconds: 1_763_673_600_123_000))
        #expect(contents.cadences == [61.5])
        #expect(throws: WireError.noSamples) { try scene.decode(#"{"id":"A 7"}"#) }
        #expect(throws: WireError.wrongType) { try scene.decode(#"{"m":{"acc":[0,"0",1]}}"#) }
    }

    @Test("A sample of a mapping's lists that is null or absurd is missing, and the others count")
    func mappingHole() throws {
        var scene = try DeviceScene("filter=a format=mapping device=b ax=/x*2 ay=/y az=/z rate_hz=/hz")
        let text = #"{"x":[1,null,3,4],"y":[0,0,1e30,0],"z":[9,9,9,9],"hz":50}"#
        guard case .frame(let frame)? = try scene.decode(text).first else { throw WireError.noSamples }
        #expect(frame.values.map { $0.isNaN ? -1 : $0 } == [2, 0, 9, -1, 0, 9, 6, -1, 9, 8, 0, 9])
    }

    @Test("Half a turn of a mapping's wheel is none yet")
    func halfTurns() throws {
        var scene = try DeviceScene("filter=cnt format=mapping device=wheel revolutions=/n*0.5")
        #expect(
            try [10, 11, 12].map { try scene.decode("{\"n\":\($0)}").revolutions.map(\.cumulative) } == [[5], [5], [6]])
    }

    @Test("The device of a message comes from its topic, its payload or the source, as a name that the bus can have")
    func devices() throws {
        func device(_ source: String, topic: String = "", _ json: String = "{}") throws -> String {
            let source = try DeviceSource(source)
            return try Array(json.utf8).withRawBytes { bytes throws(WireError) in
                try source.device(
                    of: DeviceMessage(
                        topicLevels: topic.split(separator: "/"), payload: bytes, arrivalMicroseconds: 0)
                ).id.description
            }
        }
        let logger = "filter=sensor-logger format=sensor-logger device=$.deviceId"
        #expect(
            try device(logger, #"{"deviceId":"7d1c0bff-f830-4dc9-a431-26873453ebb1"}"#)
                == "7d1c0bff-f830-4dc9-a431-26873453ebb1")
        #expect(try device(logger, #"{"deviceId":"AA:BB:CC:DD:EE:FF"}"#) == "aa-bb-cc-dd-ee-ff")
        let spaced = try device("filter=QZ/+/# format=qdomyos-zwift device=topic:1", topic: "QZ/bike 3/status")
        #expect(spaced.hasPrefix("bike-3-"))
        // A name that loses letters keeps apart from others by its hash.
        let names = try ["AnnaX", "annax", "Велосипед 1", "Тренажёр 1"].map {
            try device("filter=QZ/+/# format=qdomyos-zwift device=topic:1", topic: "QZ/\($0)/status")
        }
        #expect(Set(names).count == 4 && names[1] == "annax" && names[0].hasPrefix("annax-"))
        let long = String(repeating: "x", count: 200)
        #expect(try device(logger, #"{"deviceId":"\#(long)"}"#).count == 63)
        #expect(throws: WireError.invalidDeviceID) { try device(logger, #"{"deviceId":"///"}"#) }
        #expect(throws: WireError.invalidDeviceID) { try device(logger, "{}") }
    }

    @Test("A filter matches as MQTT says")
    func filters() throws {
        let source = try DeviceSource("filter=QZ/+/workout/# format=qdomyos-zwift device=topic:1")
        for (topic, isMatch) in [
            ("QZ/a/workout/bike/cranks", true), ("QZ/a/workout", true), ("QZ/a/status", false), ("QZ/a", false),
            ("X/a/workout/b", false),
        ] {
            #expect(source.matches(topic.split(separator: "/")) == isMatch, "\(topic)")
        }
    }

    @Test(
        "A source that cannot be meant is refused with the word that is wrong",
        arguments: [
            ("", "filter="), ("filter=a format=sensor-logger", "device="), ("filter=a device=b", "format="),
            ("filter=a/#/b format=phyphox device=b", "filter=a/#/b"),
            ("filter=a format=excel device=b", "format=excel"),
            ("filter=a format=phyphox device=B!", "device=B!"), ("filter=a format=number device=b", "quantity"),
            ("filter=a format=mapping device=b", "fields"), ("filter=a format=mapping device=b ax=acc", "ax=acc"),
            ("filter=a format=mapping device=b ax=/acc*x", "ax=/acc*x"),
            ("filter=a format=phyphox device=b speed=/v", "speed"),
            ("filter=a format=phyphox device=topic:x", "topic:x"),
            ("filter=a format=imu-json device=b acceleration=ft/s2", "acceleration=ft/s2"),
        ])
    func badSources(text: String, word: String) {
        #expect { try DeviceSource(text) } throws: { "\($0)".contains(word) }
    }

    @Test("The list of sources is JSON, and a wrong one is named by its place")
    func list() throws {
        let json =
            #"[{"filter":"a b","format":"phyphox","device":"x"},{"filter":"QZ/+/#","format":"qdomyos-zwift","device":"topic:1"}]"#
        #expect(try DeviceSource.list(json: json).map(\.filter) == ["a b", "QZ/+/#"])
        for (json, words) in [
            ("{}", "no JSON list"), (#"[{"filter":1}]"#, "source 1"),
            (#"[{"filter":"a","format":"phyphox","device":"x"},{"filter":"b","device":"x"}]"#, "source 2"),
        ] {
            #expect { try DeviceSource.list(json: json) } throws: { "\($0)".contains(words) }
        }
    }
}
