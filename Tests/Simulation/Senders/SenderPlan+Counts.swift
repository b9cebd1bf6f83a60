import Seeded
import Wire

/// Devices that count themselves, as gyms have them.
extension SenderPlan {
    /// The turns that a crank may show at any moment.
    private static let turnsAtOnce = 15
    /// Words of a device that count, five to twenty seconds apart.
    private static let words = 10...24

    private mutating func passToNextWord(_ random: inout SeededGenerator) -> UInt64 {
        let seconds = 5 + random.below(15)
        pass(seconds: Double(seconds))
        // Fewer than anybody makes.
        return UInt64(random.below(2 * seconds))
    }

    mutating func addBootSteps(_ random: inout SeededGenerator) {
        var (boot, value, truth) = (1, UInt64(random.below(5_000)), Int64(0))
        func word(_ value: UInt64, _ plan: SenderPlan) -> String {
            #"{"kind":"boot","boot":"b\#(boot)","t":\#(plan.seconds),"steps":\#(value)}"#
        }
        send(word(value, self))
        for _ in 0..<random.below(Self.words) {
            let steps = passToNextWord(&random)
            if random.chance(0.06) {
                (boot, value) = (boot + 1, 0)
            } else if random.chance(0.1), value > 100 {
                // Flash memory, or a second gateway, says a little less for a moment.
                send(word(value - UInt64(1 + random.below(3)), self))
                pass(seconds: 2)
            }
            value += steps
            truth += Int64(steps)
            send(word(value, self))
            if random.chance(0.2) { repeatLast() }
        }
        self.truth = .sums(.init(steps: truth))
    }

    mutating func addDaySteps(_ random: inout SeededGenerator) {
        var value = UInt64(random.below(5_000))
        func word(_ value: UInt64, _ plan: SenderPlan) -> String {
            #"{"kind":"day","t":\#(plan.seconds),"steps":\#(value)}"#
        }
        send(word(value, self))
        for _ in 0..<random.below(Self.words) {
            let steps = passToNextWord(&random)
            if random.chance(0.1), value > 100 {
                send(word(random.chance(0.5) ? 0 : value - 1, self))
                pass(seconds: 2)
                send(word(value, self))
                pass(seconds: 2)
            }
            value += steps
            send(word(value, self))
            if random.chance(0.2) { repeatLast() }
        }
        truth = .sums(.init(steps: Int64(value)))
    }

    /// A health app: every minute once, some of them said again later with another number.
    mutating func addIntervals(_ random: inout SeededGenerator) {
        var said: [Int64: Int64] = [:]
        func word(_ start: Int64, _ steps: Int64) -> String {
            let (from, to) = (Double(start) / 1e6, Double(start + 60_000_000) / 1e6)
            return #"{"kind":"interval","from":\#(from),"to":\#(to),"steps":\#(steps)}"#
        }
        let first = (time / 60_000_000 - 60) * 60_000_000
        for number in 0..<Int64(random.below(Self.words)) {
            _ = passToNextWord(&random)
            let (start, steps) = (first + number * 60_000_000, Int64(random.below(110)))
            said[start] = steps
            send(word(start, steps))
            if random.chance(0.2) { repeatLast() }
            if number > 0, random.chance(0.15) {
                let old = first + Int64(random.below(Int(number))) * 60_000_000
                let corrected = Int64(random.below(110))
                said[old] = corrected
                send(word(old, corrected))
            }
        }
        truth = .sums(.init(steps: said.values.reduce(0, +)))
    }

    /// Apps and watches that say the same hours in their own way. What is right of them is a matter of rules; that it
    /// does not hang on restarts is not.
    mutating func addWildIntervals(_ random: inout SeededGenerator) {
        for _ in 0..<random.below(Self.words) {
            _ = passToNextWord(&random)
            let start = time / 60_000_000 * 60 - Int64(random.below(300)) * 30
            let length = [29, 60, 600, 900, 3_600, 3_660, 7_200, 36_000, 86_400][random.below(9)]
            let (border, steps) = (Int64(random.below(3)), random.below(length * 2))
            send(#"{"kind":"interval","from":\#(start + border),"to":\#(start + Int64(length)),"steps":\#(steps)}"#)
            if random.chance(0.2) { repeatLast() }
        }
        truth = .log
    }

    mutating func addPlainCount(_ random: inout SeededGenerator) {
        var (value, truth) = (UInt64(random.below(3_000)), Int64(0))
        send("\(value)", on: .rev)
        var beginsAnew = false
        for number in 0..<random.below(Self.words) {
            let turns = passToNextWord(&random) / 2
            if number > 2, random.chance(0.05) {
                (value, beginsAnew) = (0, true)
                send("0", on: .rev)
                // From here on it rises for long enough to be known for a new beginning.
                for _ in 0..<6 {
                    pass(seconds: 5)
                    value += 5
                    truth += 5
                    send("\(value)", on: .rev)
                }
                continue
            }
            value += turns
            truth += Int64(turns)
            send("\(value)", on: .rev)
        }
        // It says no time, so that of more than a crank may show at any moment it hangs on when it comes what can be true.
        self.truth = beginsAnew || truth > Self.turnsAtOnce ? .log : .sums(.init(revolutions: truth))
    }

    mutating func addCSC(_ random: inout SeededGenerator) {
        var (value, event, truth) = (UInt64(65_400 + random.below(130)), UInt64(random.below(65_536)), Int64(0))
        func notify(_ plan: inout SenderPlan) {
            let bytes = [value, event].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8 & 0xFF)] }
            plan.send([2] + bytes, on: .csc)
        }
        notify(&self)
        for _ in 0..<(20 + random.below(20)) {
            let turns = UInt64(random.below(4))
            pass(seconds: 2)
            value = (value + turns) % 65_536
            if turns > 0 { event = (event + 2_048 - UInt64(random.below(300))) % 65_536 }
            truth += Int64(turns)
            notify(&self)
            if random.chance(0.2) { repeatLast() }
        }
        self.truth = .sums(.init(revolutions: truth))
    }

    mutating func addFTMS(_ random: inout SeededGenerator) {
        for _ in 0..<(15 + random.below(20)) {
            pass(seconds: 1)
            let halfTurns = UInt8(random.below(200))
            let more: [UInt8] = random.chance(0.2) ? [0xDE, 0xAD, 0xBE, 0xEF] : []
            send([0x04, 0x20, 0xF2, 0x08, halfTurns, 0x00] + more, on: .ftms)
        }
        truth = .log
    }

    /// Readings in each of their forms, some twice, some of a time before, some at and beyond the ends of what is taken.
    mutating func addRider(_ random: inout SeededGenerator) {
        truth = .log
        let pulses: [UInt8] = [0, 1, 19, 20, 130, 131, 132, 250, 251, 255]
        let powers: [Int16] = [.min, -101, -100, -1, 0, 145, 146, 2_500, 2_501, 4_000, .max]
        for _ in 0..<(20 + random.below(60)) {
            pass(seconds: random.chance(0.9) ? 1 : Double(random.below(90)))
            let (pulse, power) = (pulses[random.below(pulses.count)], powers[random.below(powers.count)])
            let watts = [UInt8(truncatingIfNeeded: power), UInt8(truncatingIfNeeded: power >> 8)]
            let clock = random.chance(0.8) ? time : time - Int64(random.below(20)) * 500_000
            switch random.below(6) {
            case 0: send(Array([UInt8(random.below(32)), pulse, 0, 0, 0, 0].prefix(2 + random.below(5))), on: .hr)
            case 1: send("\(pulse)", on: .hr)
            case 2: send([0x44, 0x02, 0xF2, 0x08, 0xB0, 0x00] + watts + [pulse], on: .ftms)
            case 3: send([0x20, 0x00] + watts + [UInt8(random.below(256)), 0, 0, UInt8(random.below(256))], on: .csc)
            case 4: send([0x00, 0x00] + watts, on: .csc)
            default:
                send(
                    #"{"watts":\#(power),"bpm":\#(pulse),"cadence_rpm":\#(random.below(320)),"t":\#(Double(clock) / 1e6)}"#,
                    on: random.chance(0.5) ? .hr : .ftms)
            }
            if random.chance(0.2) { repeatLast() }
        }
    }

    /// Rides of days before, in parts that overlap, in any order and some of them twice; and frames of whole minutes of
    /// them, whose time is theirs. A second has so many whole turns, so that it is known what all of them make.
    mutating func addRecorded(_ random: inout SeededGenerator) {
        var (made, parts, frames): ([Int64: Int], [[UInt8]], [[UInt8]]) = ([:], [], [])
        for day in (0...Int64(random.below(3))).reversed() {
            let start = time / 1_000_000 - 86_400 * day - 1_200 + Int64(random.below(300))
            // Of the last second something is known, as of every message.
            let ride = (0..<random.below(100...900)).map { _ in random.chance(0.1) ? nil : random.below(4) * 60 } + [60]
            for (second, cadence) in ride.enumerated() { made[start + Int64(second)] = cadence.map { $0 / 60 } }
            for first in stride(from: 0, to: ride.count, by: 250) {
                var part = RecordedSeconds(start: start + Int64(first))
                part.cadence = Array(ride[first..<min(first + 400, ride.count)])
                part.watts = part.cadence.map { $0.map { $0 * 2 } }
                parts += Array(repeating: part.encodedJSON(), count: random.chance(0.3) ? 2 : 1)
            }
            guard random.chance(0.5) else { continue }
            let (live, boot) = ((start / 60 + 2) * 60..<(start / 60 + 4) * 60, random.next() >> 12)
            for second in live { made[second] = 0 }
            for (number, second) in stride(from: live.lowerBound, to: live.upperBound, by: 5).enumerated() {
                var frame = SyntheticFrames.stillFrame(at: second * 1_000_000, samples: 5)
                frame.identity = .sequenced(boot: BootID(rawValue: boot), sequence: UInt64(number))
                frames.append(frame.encodedJSON())
            }
        }
        parts.shuffle(using: &random)
        while let part = parts.popLast() {
            while !frames.isEmpty, parts.isEmpty || random.chance(0.8) {
                pass(seconds: 1)
                send(frames.removeFirst(), on: .imu)
            }
            pass(seconds: 1)
            send(part, on: .seconds)
        }
        truth = .sums(
            .init(revolutions: Int64(made.values.reduce(0, +)), coveredMilliseconds: Int64(made.count) * 1_000))
    }
}

// MARK: - Beyond the limits

extension SenderPlan {
    private static let countEdges = [
        "0", "1", "-1", "3", "100", "65535", "65536", "16777215", "16777216", "999999999", "1000000000", "1000000001",
        "2147483647", "2147483648", "4294967295", "4294967296", "9007199254740990", "9007199254740991",
        "9007199254740992", "9007199254740993", "9223372036854775807", "9223372036854775808", "18446744073709551615",
        "18446744073709551616", "1e15", "1e308", "0.5", "1e-7", "-0.0", "NaN", "Infinity", "null", "\"5\"", "true",
    ]

    /// A number that counters show, or one at an end.
    private static func count(_ random: inout SeededGenerator) -> String {
        random.chance(0.5) ? "\(random.below(300))" : countEdges[random.below(countEdges.count)]
    }

    /// Every kind of count with every kind of number, in the mixtures that no device sends.
    mutating func addExtremeCounts(_ random: inout SeededGenerator) {
        truth = .log
        // A few only, so that one kind meets a run of its own kind.
        let kinds = (0...random.below(3)).map { _ in random.below(6) }
        for _ in 0..<(10 + random.below(90)) {
            pass(seconds: random.chance(0.9) ? Double(random.below(30)) / 10 : Double(random.below(100_000)))
            let now = time
            func clock(_ random: inout SeededGenerator) -> String {
                random.chance(0.7) ? "\(Double(now) / 1e6)" : Self.timeEdge(now, &random)
            }
            let count = Self.count(&random)
            let time = random.chance(0.7) ? "\"t\":\(clock(&random))," : ""
            let boot = random.chance(0.7) ? "\"boot\":\"b\(random.below(4) == 0 ? random.below(1_000) : 1)\"," : ""
            switch kinds[random.below(kinds.count)] {
            case 0: send("{\"kind\":\"day\",\(time)\"steps\":\(count)}")
            case 1: send("{\"kind\":\"boot\",\(boot)\(time)\"steps\":\(count)}")
            case 2:
                let from = random.chance(0.2) ? Self.timeEdge(now, &random) : "\(now / 1_000_000 - 60)"
                let to = random.chance(0.3) ? Self.timeEdge(now, &random) : "\(Double(now) / 1e6)"
                send("{\"kind\":\"interval\",\"from\":\(from),\"to\":\(to),\"steps\":\(count)}")
            case 3:
                let sequence = random.chance(0.5) ? "\"seq\":\(Self.count(&random))," : ""
                send("{\(boot)\(sequence)\(time)\"revolutions\":\(count)}", on: .rev)
            case 4: send(count, on: .rev)
            default:
                let bytes = (0..<(2 + random.below(10))).map { _ in
                    random.chance(0.5)
                        ? [0, 1, 2, 3, 0x20, 0x7F, 0x80, 0xFF][random.below(8)] : UInt8(random.below(256))
                }
                send(bytes, on: random.chance(0.5) ? .csc : .ftms)
            }
        }
    }

    /// Messages that are cut, doubled, or have bytes changed.
    mutating func addJunk(_ random: inout SeededGenerator) {
        let texts = [
            #"{"kind":"day","steps":120}"#, #"{"kind":"boot","boot":"a","steps":5}"#, #"{"revolutions":4}"#, "17",
            #"{"boot":1,"seq":0,"t":1795194021.5,"rate_hz":1,"mag":[[1,2,3],[1,2,3]]}"#,
            #"{"b":7,"s":412,"t":81230,"hz":50,"a":[12,-34,1001,15,-30,998]}"#,
        ]
        for _ in 0..<(10 + random.below(40)) {
            pass(seconds: 1)
            var bytes = Array(texts[random.below(texts.count)].utf8)
            switch random.below(4) {
            case 0: bytes.removeLast(random.below(bytes.count + 1))
            case 1: bytes[random.below(bytes.count)] = UInt8(random.below(256))
            case 2: bytes += bytes
            default: bytes.insert(0, at: random.below(bytes.count))
            }
            send(bytes, on: [.imu, .rev, .csc, .ftms, .count, .hr][random.below(6)])
        }
        truth = .log
    }
}

extension SeededGenerator {
    /// A whole number of a range.
    mutating func below(_ range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }
}
