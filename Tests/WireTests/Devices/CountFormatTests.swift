import Testing
import Wire

@Suite("Counts of devices that know nothing of stridebus")
struct CountFormatTests {
    @Test("qdomyos-zwift's cadence holds while its clock ticks, and ends when it pauses or goes away")
    func qdomyosZwift() throws {
        var scene = try DeviceScene("filter=QZ/+/# format=qdomyos-zwift device=topic:1")
        #expect(try scene.decode("754", topic: "QZ/gym/workout/elapsed/total_seconds") == [])
        #expect(try scene.decode("84.00", topic: "QZ/gym/workout/bike/cadence/current").cadences == [84])
        for second in 755..<765 {
            scene.arrival += 1_000_000
            let tick = try scene.decode("\(second)", topic: "QZ/gym/workout/elapsed/total_seconds")
            #expect(tick.cadences == [84])
        }
        #expect(try scene.decode("online", topic: "QZ/gym/status") == [])
        #expect(try scene.decode("offline", topic: "QZ/gym/status").cadences == [0])
        #expect(try scene.decode("765", topic: "QZ/gym/workout/elapsed/total_seconds") == [])
        _ = try scene.decode("84.00", topic: "QZ/gym/workout/bike/cadence/current")
        #expect(try scene.decode("true", topic: "QZ/gym/workout/device/paused").cadences == [0])
        #expect(try scene.decode("162.00", topic: "QZ/gym/workout/treadmill/cadence/current") == [])
        #expect(throws: WireError.malformed) { try scene.decode("fast", topic: "QZ/gym/workout/bike/cadence/current") }
        #expect(throws: WireError.outOfRange) { try scene.decode("-3", topic: "QZ/gym/workout/bike/cadence/current") }
    }

    @Test("qdomyos-zwift's cranks are counted instead of its cadence")
    func cranks() throws {
        var scene = try DeviceScene("filter=QZ/+/# format=qdomyos-zwift device=topic:1")
        let first = try scene.decode("1042.00", topic: "QZ/gym/workout/bike/cranks").revolutions
        #expect(first.map(\.cumulative) == [1042])
        #expect(try scene.decode("84.00", topic: "QZ/gym/workout/bike/cadence/current") == [])
        scene.arrival += 1_000_000
        let again = try scene.decode("3.00", topic: "QZ/gym/workout/bike/cranks").revolutions
        #expect(again.map(\.cumulative) == [3])
    }

    @Test("Two machines under one name are told")
    func twoMachines() throws {
        var scene = try DeviceScene("filter=QZ/+/# format=qdomyos-zwift device=topic:1")
        #expect(try scene.decode("AA:BB:CC:DD:EE:FF", topic: "QZ/default/workout/device/id") == [])
        #expect(try scene.decode("AA:BB:CC:DD:EE:FF", topic: "QZ/default/workout/device/id") == [])
        #expect(throws: WireError.twoMachines) {
            try scene.decode("11:22:33:44:55:66", topic: "QZ/default/workout/device/id")
        }
    }

    @Test("ESPHome's and Home Assistant's numbers are what their source says")
    func numbers() throws {
        var rpm = try DeviceScene("filter=bike12/sensor/cadence/state format=number quantity=rpm device=bike-12")
        #expect(try rpm.decode("87.5").cadences == [87.5])
        for absence in ["unknown", "unavailable", "nan"] { #expect(try rpm.decode(absence) == []) }
        #expect(throws: WireError.malformed) { try rpm.decode("87,5") }
        #expect(throws: WireError.emptyPayload) { try rpm.decode("") }
        #expect(throws: WireError.outOfRange) { try rpm.decode("2000") }
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

    @Test("Cycling Power, CSC and RSC bytes on one topic are told apart, whichever way they are written")
    func bluetooth() throws {
        var scene = try DeviceScene("filter=ble/+ format=bluetooth device=topic:1")
        let power: [UInt8] = [0x20, 0, 0xC8, 0, 0x10, 0, 0, 0xFC]
        #expect(try scene.decode(power).revolutions.map(\.cumulative) == [16])
        #expect(try scene.decode(power).revolutions.map(\.lastEventTime1024) == [0xFC00])
        #expect(try scene.decode(#"{"hex":"02 10 00 00 FC"}"#).revolutions.map(\.cumulative) == [16])
        #expect(try scene.decode(#"{"base64":"AhAAAPw="}"#).revolutions.map(\.lastEventTime1024) == [0xFC00])
        #expect(try scene.decode([0, 0x9A, 2, 0x55]) == [], "a runner's pod tells no count")
        #expect(throws: WireError.malformed) { try scene.decode([0x20, 0, 0xC8]) }
        var machine = try DeviceScene("filter=ble/+ format=bluetooth device=topic:1 service=ftms")
        #expect(try machine.decode([0x44, 0x02, 0xF2, 0x08, 0xB0, 0, 0x40, 0, 0]).cadences == [88])
    }

    @Test("BTHome's rotational speed is found behind other objects; encryption is refused")
    func btHome() throws {
        var scene = try DeviceScene("filter=bthome/+ format=bthome device=topic:1")
        #expect(try scene.decode([0x40, 0x00, 0x07, 0x01, 0x61, 0x61, 0x54, 0x00]).cadences == [84])
        #expect(try scene.decode(#"{"hex":"40 01 61"}"#) == [])
        #expect(try scene.decode(#"{"rotational_speed":61}"#).cadences == [61])
        #expect(throws: WireError.unsupportedVersion) { try scene.decode([0x41, 0x00]) }
        #expect(throws: WireError.malformed) { try scene.decode([0x40, 0xEE, 0]) }
        #expect(throws: WireError.malformed) { try scene.decode([0x40, 0x61, 0x54]) }
    }

    @Test("A band's day counter is one of a day, so that a fall is a new day and no negative number")
    func theengs() throws {
        var scene = try DeviceScene()
        let steps = try scene.decode(file: "theengs.mi-band").steps
        #expect(steps.map(\.steps) == [9101] && steps.map(\.kind) == [.day])
        #expect(try scene.decode(#"{"model_id":"MB/SW","mac":"AA","act_bpm":125}"#) == [])
        #expect(throws: WireError.outOfRange) { try scene.decode(#"{"model_id":"MB/SW","mac":"AA","steps":-1}"#) }
    }

    @Test("OwnTracks' reply is an interval, also the day so far; −1 is refused")
    func ownTracks() throws {
        var scene = try DeviceScene()
        let interval = try #require(try scene.decode(file: "owntracks.steps").steps.first)
        #expect(interval.kind == .interval && interval.steps == 1234)
        #expect(interval.endMicroseconds - interval.startMicroseconds == 2_870_000_000)
        let day = try scene.decode(#"{"_type":"steps","from":1763640000,"to":1763673605,"steps":5}"#).steps
        #expect(day.map(\.kind) == [.interval])
        #expect(throws: WireError.outOfRange) {
            try scene.decode(#"{"_type":"steps","from":1400455130,"to":1400458000,"steps":-1}"#)
        }
        #expect(throws: WireError.absurdTime) {
            try scene.decode(#"{"_type":"steps","from":1400458000,"to":1400455130,"steps":1}"#)
        }
        #expect(try scene.decode(#"{"_type":"location","lat":52.5}"#) == [])
    }

    @Test("Health Auto Export's records are intervals with their own zone, so that a later one replaces an earlier")
    func healthAutoExport() throws {
        var scene = try DeviceScene()
        let minute = try #require(try scene.decode(file: "health-auto-export").steps.first)
        #expect(minute.kind == .interval && minute.steps == 8500)
        #expect(minute.startMicroseconds == 1_707_258_600_000_000, "14:30 at −8 h is 22:30 UTC")
        #expect(minute.endMicroseconds - minute.startMicroseconds == 60_000_000)
        func day(_ quantity: String) -> String {
            #"{"data":{"metrics":[{"name":"step_count","data":[{"qty":\#(quantity),"date":"2024-02-06 00:00:00 -0800"}]}]}}"#
        }
        let (first, second) = (try scene.decode(day("4000")).steps, try scene.decode(day("4099.7652")).steps)
        #expect(first.map(\.startMicroseconds) == second.map(\.startMicroseconds))
        #expect(second.map(\.steps) == [4099] && second.map(\.microSteps) == [765_200])
        #expect(second.map { $0.endMicroseconds - $0.startMicroseconds } == [86_400_000_000])
        #expect(throws: WireError.malformed) {
            try scene.decode(#"{"data":{"metrics":[{"name":"step_count","data":[{"qty":1,"date":"yesterday"}]}]}}"#)
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

    @Test("Lines of numbers with decimal commas are refused")
    func decimalCommas() throws {
        var scene = try DeviceScene("filter=w/+ format=imu-json device=topic:1")
        #expect(throws: WireError.malformed) { try scene.decode("0,120000,9,810000,0,3") }
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
