import Seeded
import Wire

/// Devices that send samples.
extension SenderPlan {
    /// Numbered messages, at times from a new boot on.
    mutating func addFrames(_ kind: SenderKind, messages: Int, _ random: inout SeededGenerator) {
        var (boot, sequence) = (random.next() >> 12, UInt64(0))
        for number in 0..<messages {
            let length = kind == .walking ? SyntheticFrames.walkingMicroseconds : SyntheticFrames.stillMicroseconds
            let content = SyntheticFrames.content(kind, number: number, boot: boot, sequence: sequence, time: time)
            time += length
            send(SyntheticFrames.payload(of: content), on: kind == .crank ? .rev : .imu, saying: content)
            sequence += 1
            if kind != .crank, number < messages - 4, random.chance(0.03) {
                (boot, sequence) = (boot + 1, 0)
                pass(seconds: 7)
            }
        }
    }

    /// Frames that only their time tells apart, perhaps all of them once more at the end.
    mutating func addUnnumbered(frames: Int, isSentAgain: Bool) {
        let isShort = frames > 100
        for _ in 0..<frames {
            var frame = SyntheticFrames.stillFrame(at: time, samples: isShort ? 1 : 5)
            frame.identity = .unsequenced(contentHash: 0)
            time += isShort ? 1_000_000 : 5_000_000
            // A long plan is sent in a few bursts.
            send(frame.encodedJSON(), on: .imu)
        }
        if isShort { for index in messages.indices { messages[index].due = time } }
        if isSentAgain { for message in messages { send(message.payload, on: .imu) } }
        truth = .sums(.init(coveredMilliseconds: Int64(frames) * (isShort ? 1_000 : 5_000)))
    }

    mutating func addUptime(_ random: inout SeededGenerator) {
        let boot = random.next() >> 12
        var uptime = Int64(random.below(60)) * 1_000_000
        let frames = 12 + random.below(8)
        for sequence in 0..<frames {
            var frame = SyntheticFrames.stillFrame(at: time, samples: 5)
            frame.identity = .sequenced(boot: BootID(rawValue: boot), sequence: UInt64(sequence))
            frame.time = .uptime(microseconds: uptime)
            pass(seconds: 5)
            uptime += 5_000_000
            send(frame.encodedJSON(), on: .imu)
        }
        // When it was is known from arrivals alone.
        truth = .log
    }

    mutating func addPressure(_ random: inout SeededGenerator) {
        let boot = random.next() >> 12
        var pressure: Float = 1_000 + Float(random.below(30))
        for number in 0..<(12 + random.below(8)) {
            var frame = SyntheticFrames.walkingFrame(number, at: time)
            frame.identity = .sequenced(boot: BootID(rawValue: boot), sequence: UInt64(number))
            pressure -= Float(random.below(5)) * 0.1
            frame.pressuresHectopascals = [pressure]
            time += SyntheticFrames.walkingMicroseconds
            send(frame.encodedJSON(), on: .imu)
        }
        truth = .log
    }

    /// A walk of twelve days ago, sent late, and what a health app says of each minute around it.
    mutating func addBackfill(_ random: inout SeededGenerator) {
        truth = .log
        let (now, boot) = (time, random.next() >> 12)
        time -= 12 * 86_400 * 1_000_000
        let first = time / 60_000_000
        for number in 0..<(30 + random.below(20)) {
            var frame = SyntheticFrames.walkingFrame(number, at: time)
            frame.identity = .sequenced(boot: BootID(rawValue: boot), sequence: UInt64(number))
            time += SyntheticFrames.walkingMicroseconds
            send(frame.encodedJSON(), on: .imu)
        }
        let last = time / 60_000_000
        time = now
        for minute in (first - 2)...(last + 2) {
            pass(seconds: 1)
            let steps = random.below(140)
            send(#"{"kind":"interval","from":\#(minute * 60),"to":\#(minute * 60 + 60),"steps":\#(steps)}"#)
        }
    }

    /// Samples that jump, rates and times that no sensor has, beside some that one has.
    mutating func addExtremeFrames(_ random: inout SeededGenerator) {
        truth = .log
        let boot = random.next() >> 12
        for number in 0..<(20 + random.below(80)) {
            pass(seconds: random.chance(0.8) ? 1 : Double(random.below(4_000)) / 10)
            func edge() -> String { Self.sampleEdges[random.below(Self.sampleEdges.count)] }
            let rows = (0...random.below(5)).map { _ in
                let sample =
                    random.chance(0.4)
                    ? [edge(), edge(), edge()] : ["\(random.below(20))", "\(random.below(20))", "9.81"]
                return "[\(sample.joined(separator: ","))]"
            }
            let sensor = ["acc", "gyro", "mag"][random.below(3)]
            // A sensor that is hit, of which every value is one that there is.
            let isHit = random.chance(0.25)
            var fields = [
                isHit ? #""acc":[[-150,0,9.81],[150,0,9.81]]"# : "\"\(sensor)\":[\(rows.joined(separator: ","))]"
            ]
            if random.chance(0.7) { fields.append("\"boot\":\(boot),\"seq\":\(number)") }
            if random.chance(0.1) { fields.append("\"boot\":\(edge()),\"seq\":\(edge())") }
            switch random.below(5) {
            case 0: fields.append("\"t\":\(Self.timeEdge(time, &random))")
            case 1: fields.append("\"uptime_ms\":\(edge())")
            case 2: break
            default: fields.append("\"t\":\(seconds)")
            }
            switch random.below(6) {
            case 0: fields.append("\"rate_hz\":\(edge())")
            case 1: fields.append("\"dt_ms\":[\(rows.map { _ in edge() }.joined(separator: ","))]")
            default: fields.append("\"rate_hz\":\([1, 25, 50][random.below(3)])")
            }
            if random.chance(0.2) { fields.append("\"pressure\":[\(edge())]") }
            send("{\(fields.joined(separator: ","))}", on: .imu)
        }
    }

    /// Values of a sample in JSON, up to and beyond what formats and types hold.
    private static let sampleEdges = [
        "0", "-0.0", "1", "-1", "0.000000001", "1e-45", "16.777216", "-16.777216", "16.777217", "33.554432", "8.388608",
        "-8.388608", "156", "-156", "1000", "-2000", "65504", "8388607", "16777216", "-16777216", "2147483647",
        "2147483648", "-2147483649", "4294967295", "4294967296", "9007199254740991", "9007199254740992",
        "9223372036854775807", "9223372036854775808", "18446744073709551615", "3.4028235e38", "1e39", "1e308", "-1e308",
        "NaN", "Infinity", "-Infinity", "null", "\"7\"",
    ]

    /// A time in some unit, near now or at the end of what a clock shows.
    static func timeEdge(_ now: Int64, _ random: inout SeededGenerator) -> String {
        let edges = [
            "0", "-1", "1", "\(now)", "\(now / 1_000)", "\(now)000", "\(now / 1_000_000 + 86_400)",
            "\(now / 1_000_000 - 86_400 * 40)", "4102444800", "253402300799", "9007199254", "9007199254740991",
            "9007199254740993", "9223372036854775807", "9223372036854775808", "18446744073709551615", "1e18", "1e308",
            "NaN", "\"now\"",
        ]
        return edges[random.below(edges.count)]
    }
}
