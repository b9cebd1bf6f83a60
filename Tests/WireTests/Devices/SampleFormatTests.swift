import Contract
import Testing
import Wire

@Suite("Samples of devices that know nothing of stridebus")
struct SampleFormatTests {
    @Test(
        "A form is known by the names of its fields",
        arguments: [
            ("sensor-logger", DeviceFormatName.sensorLogger), ("sensor-logger.barometer", .sensorLogger),
            ("phyphox", .phyphox), ("imu-json.flat", .imuJSON), ("imu-json.nested", .imuJSON),
            ("imu-json.long", .imuJSON), ("imu-json.thingsboard", .imuJSON), ("theengs.mi-band", .theengs),
            ("owntracks.steps", .ownTracks), ("health-auto-export", .healthAutoExport), ("senml", .senML),
        ])
    func recognised(file: String, format: DeviceFormatName) throws {
        let json = try Contract.bytes("devices/\(file).json").withRawBytes { bytes throws(WireError) in
            try JSONValue(parsing: bytes)
        }
        #expect(DeviceFormatName.recognising(json) == format)
    }

    @Test("Sensor Logger's accelerometer gets its gravity, and its gyroscope the nearest row")
    func sensorLogger() throws {
        var scene = try DeviceScene()
        let contents = try scene.decode(file: "sensor-logger")
        let frame = try #require(contents.frames.first)
        #expect(contents.count == 1, "its own step counter is not counted beside samples")
        #expect(frame.sensors == [.acceleration, .angularVelocity])
        #expect(frame.sampleCount == 4, "a reading that comes twice is one sample")
        #expect(frame.time == .utc(microseconds: 1_763_673_600_000_000))
        #expect(frame.intervalsMicroseconds == [10_000, 10_000, 10_000])
        #expect(Array(frame.values.prefix(6)) == [0.5, 0, -9.5, 0, 0, 0])
        #expect(frame.values[21] == 0.3)
        #expect(frame.pressuresHectopascals == [1013.25])
        guard case .sequenced(_, 7) = frame.identity else {
            Issue.record("identity is \(frame.identity)")
            return
        }
    }

    @Test("Sensor Logger's message without motion, and its test message, are understood and count nothing")
    func nothing() throws {
        var scene = try DeviceScene("filter=sensor-logger format=sensor-logger device=$.deviceId")
        #expect(try scene.decode(file: "sensor-logger.barometer") == [])
        #expect(try scene.decode(#"{"messageId":0,"sessionId":"test","deviceId":"p","payload":[]}"#) == [])
        #expect(try scene.decode(#"{"messageId":0,"deviceId":"p"}"#) == [])
        #expect(throws: WireError.wrongType) { try scene.decode(#"{"hello":"world"}"#) }
    }

    @Test("A vector with a null is a missing sample; one without an axis is refused")
    func missingSample() throws {
        func message(_ vector: String) -> String {
            let samples = [#"{"x":1,"y":0,"z":0}"#, vector, #"{"x":3,"y":0,"z":0}"#].enumerated().map { index, values in
                let time = 1_763_673_600_000_000_000 + index * 10_000_000
                return #"{"name":"totalacceleration","time":\#(time),"values":\#(values)}"#
            }
            return #"{"messageId":1,"sessionId":"a","deviceId":"p","payload":[\#(samples.joined(separator: ","))]}"#
        }
        var scene = try DeviceScene()
        for vector in [#"{"x":1,"y":null,"z":2}"#, #"{"x":null,"y":1,"z":2}"#, "{}"] {
            let frame = try #require(try scene.decode(message(vector)).frames.first)
            #expect(frame.values == [1, 0, 0, 3, 0, 0])
            #expect(frame.intervalsMicroseconds == [20_000])
        }
        #expect(throws: WireError.wrongType) { try scene.decode(message(#"{"x":1,"z":2}"#)) }
    }

    @Test(
        "A sketch's record with a null axis is a missing sample, wherever it is in the list",
        arguments: [
            #"{"acc":{"x":1,"y":null,"z":2},"ts":10}"#, #"{"ax":1,"ay":null,"az":2,"ts":10}"#,
            #"{"ax":null,"ay":1,"az":2,"ts":10}"#,
        ])
    func missingSketchSample(record: String) throws {
        let others = [20, 30].map { #"{"ax":1,"ay":0,"az":9,"ts":\#($0)}"# }
        for records in [[record] + others, others + [record]] {
            var scene = try DeviceScene()
            let frame = try #require(try scene.decode("[\(records.joined(separator: ","))]").frames.first)
            #expect(frame.values == [1, 0, 9, 1, 0, 9])
        }
        var scene = try DeviceScene()
        #expect(throws: WireError.noSamples) { try scene.decode(record) }
    }

    @Test("Readings out of order and with a long pause become frames in the order of time")
    func order() throws {
        func reading(_ milliseconds: Int) -> String {
            let time = 1_763_673_600_000_000_000 + milliseconds * 1_000_000
            return #"{"name":"totalacceleration","time":\#(time),"values":{"x":\#(milliseconds / 10),"y":0,"z":0}}"#
        }
        let readings = [20, 0, 10, 20_000, 20_010].map(reading).joined(separator: ",")
        var scene = try DeviceScene()
        let frames = try scene.decode(
            #"{"messageId":1,"sessionId":"a","deviceId":"p","payload":[\#(readings)]}"#
        ).frames
        #expect(frames.map(\.sampleCount) == [3, 2])
        #expect(frames[0].values.enumerated().filter { $0.offset % 3 == 0 }.map(\.element) == [0, 1, 2])
        #expect(Set(frames.map(\.identity)).count == 2)
    }

    @Test("A watch's user acceleration and gravity are summed in their own unit; without gravity the frame says so")
    func watch() throws {
        var scene = try DeviceScene()
        let frame = try #require(try scene.decode(file: "sensor-logger.watch").frames.first)
        #expect(Array(frame.values.prefix(6)) == [0.25, 0, -1, 0.5, 0, 0])
        let user = try scene.decode(
            #"{"messageId":1,"sessionId":"a","deviceId":"p","payload":[{"name":"accelerometer","time":1763673600000000000,"values":{"x":1,"y":0,"z":0}}]}"#
        ).frames
        #expect(user.first?.sensors == [.acceleration, .gravityRemoved])
    }

    @Test("Sensor Logger's pedometer counts where there are no samples, from the start of its recording")
    func pedometer() throws {
        var scene = try DeviceScene()
        let steps = try scene.decode(file: "sensor-logger.pedometer").steps
        #expect(steps.map(\.steps) == [17] && steps.first?.kind == .recording)
    }

    @Test("phyphox's samples have the time of the START before them; NaN is no sample")
    func phyphox() throws {
        var scene = try DeviceScene()
        let frame = try #require(try scene.decode(file: "phyphox").frames.first)
        #expect(frame.time == .utc(microseconds: 1_700_000_000_000_000))
        #expect(frame.intervalsMicroseconds == [10_000, 10_000])
        #expect(Array(frame.values.prefix(3)) == [0.12, 0.2, 9.8])
        let paused = try scene.decode(
            #"{"x":[1,null,1],"y":[0,0,0],"z":[9,9,9],"t":[5,5.01,5.02],"time":{"now":1700000100,"events":[{"event":"START","experimentTime":0,"systemTime":1700000000},{"event":"PAUSE","experimentTime":4,"systemTime":1700000004},{"event":"START","experimentTime":4,"systemTime":1700000050}]}}"#
        ).frames
        #expect(paused.first?.time == .utc(microseconds: 1_700_000_051_000_000))
        #expect(paused.first?.sampleCount == 2)
        var numbers = try DeviceScene("filter=phyphox/acc format=phyphox device=phone")
        #expect(try numbers.decode(file: "phyphox.number").frames.first?.sampleCount == 1)
        #expect(throws: WireError.absurdRate) { try numbers.decode(#"{"x":[1,2],"y":[1,2],"z":[1,2]}"#) }
        #expect(throws: WireError.unevenSensors) { try numbers.decode(#"{"x":[1,2],"y":[1],"z":[1,2],"t":[0,1]}"#) }
    }

    @Test("Sketches' samples are read under all their names, and their time is UTC, the device's own, or none")
    func sketches() throws {
        var scene = try DeviceScene()
        for (file, time) in [
            ("imu-json.flat", FrameTime.absent), ("imu-json.nested", .uptime(microseconds: 81_230_000)),
            ("imu-json.long", .absent), ("imu-json.thingsboard", .utc(microseconds: 1_763_673_600_512_000)),
        ] {
            let frame = try #require(try scene.decode(file: file).frames.first)
            #expect(frame.time == time, "\(file)")
            #expect(Array(frame.values.prefix(3)) == [0.01, 0.02, 9.8], "\(file)")
            #expect(frame.sampleCount == 1)
        }
        let local = try scene.decode(#"{"ax":0,"ay":0,"az":9.8,"timestamp":"2025-01-01T10:00:00"}"#).frames
        #expect(local.first?.time == .absent, "a local time without its zone is none")
        let seconds = try scene.decode(#"{"ax":0,"ay":0,"az":9.8,"timestamp":1763673600}"#).frames
        #expect(seconds.first?.time == .utc(microseconds: 1_763_673_600_000_000))
        let uptime = try scene.decode(#"{"ax":0,"ay":0,"az":9.8,"timestamp":1000000000}"#).frames
        #expect(uptime.first?.time == .uptime(microseconds: 1_000_000_000_000), "11 days of milliseconds")
    }

    @Test("Two equal samples at two times are two samples where the device tells no time")
    func equalSamples() throws {
        var scene = try DeviceScene()
        let first = try scene.decode(file: "imu-json.flat").frames.first?.identity
        scene.arrival += 100_000
        #expect(try scene.decode(file: "imu-json.flat").frames.first?.identity != first)
    }

    @Test("A list of records with times is one frame")
    func records() throws {
        var scene = try DeviceScene()
        let frame = try #require(
            try scene.decode(
                #"[{"ts":1763673600000,"values":{"ax":1,"ay":0,"az":9}},{"ts":1763673600020,"values":{"ax":2,"ay":0,"az":9}}]"#
            ).frames.first)
        #expect(frame.sampleCount == 2 && frame.intervalsMicroseconds == [20_000])
        #expect(throws: WireError.absurdRate) { try scene.decode(#"[{"ax":1,"ay":0,"az":9},{"ax":2,"ay":0,"az":9}]"#) }
    }

    @Test("Raw counts of an MPU6050 become SI units, and °/s beside g become rad/s")
    func units() throws {
        var raw = try DeviceScene()
        let counts = try #require(
            try raw.decode(#"{"ax":0,"ay":0,"az":16384,"gx":131,"gy":0,"gz":0}"#).frames.first)
        #expect(abs(counts.values[2] - 9.80665) < 1e-4 && abs(counts.values[3] - 0.0174533) < 1e-6)
        var m5 = try DeviceScene()
        let g = try #require(try m5.decode(#"{"ax":0,"ay":0,"az":1,"gx":180,"gy":0,"gz":0}"#).frames.first)
        #expect(g.values[2] == 1 && abs(g.values[3] - .pi) < 1e-5)
        var said = try DeviceScene("filter=a/+ format=imu-json device=topic:1 acceleration=g gyroscope=deg/s")
        let scaled = try #require(try said.decode(#"{"ax":0,"ay":0,"az":1,"gx":180,"gy":0,"gz":0}"#).frames.first)
        #expect(abs(scaled.values[2] - 9.80665) < 1e-5 && abs(scaled.values[3] - .pi) < 1e-5)
    }

    @Test("SenML's records with one time are one sample")
    func senML() throws {
        var scene = try DeviceScene()
        let contents = try scene.decode(file: "senml")
        let frame = try #require(contents.frames.first)
        #expect(frame.sampleCount == 2 && frame.intervalsMicroseconds == [20_000])
        #expect(frame.time == .utc(microseconds: 1_763_673_600_000_000))
        #expect(frame.values == [0.25, 0, 9.75, 0.5, 0, 9.75])
        #expect(contents.cadences == [84])
        scene.arrival += 1_000_000
        let relative = try scene.decode(
            #"[{"n":"acc/x","v":1,"t":-1},{"n":"acc/y","v":0,"t":-1},{"n":"acc/z","v":9,"t":-1}]"#)
        #expect(relative.frames.first?.time == .utc(microseconds: DeviceScene.arrival))
        #expect(throws: WireError.unevenSensors) { try scene.decode(#"[{"n":"ax","v":1}]"#) }
    }

    @Test(
        "A malformed variant is refused with its reason",
        arguments: [
            (
                #"{"deviceId":"p","payload":[{"name":"gyroscope","time":"soon","values":{"x":0,"y":0,"z":0}}]}"#,
                WireError.wrongType
            ),
            (#"{"deviceId":"p","payload":[{"name":"gyroscope","time":5,"values":{"x":0,"y":0,"z":0}}]}"#, .absurdTime),
            (
                #"{"deviceId":"p","payload":[{"name":"gyroscope","time":1763673600000000000,"values":{"x":0,"y":0}}]}"#,
                .wrongType
            ),
            (
                #"{"deviceId":"p","payload":[{"name":"gyroscope","time":1763673600000000000,"values":{"x":1e30,"y":0,"z":0}}]}"#,
                .outOfRange
            ),
            (#"{"sessionId":7,"messageId":1,"payload":[]}"#, .wrongType),
            (#"{"ax":1,"ay":2}"#, .wrongType), (#"{"ax":"1","ay":2,"az":3}"#, .wrongType),
            (#"{"ax":1e30,"ay":0,"az":0}"#, .outOfRange), (#"{"ax":0,"ay":0,"az":9,"seq":4}"#, .wrongType),
            (#"{"x":[1],"y":[1],"z":["1"],"t":[0]}"#, .wrongType),
        ])
    func malformed(text: String, error: WireError) throws {
        var scene = try DeviceScene()
        #expect(throws: error) { try scene.decode(text) }
    }
}
