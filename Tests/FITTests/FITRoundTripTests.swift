import FIT
import Seeded
import Testing

@Suite("Activities written as FIT files, and read again")
struct FITRoundTripTests {
    private static let start: Int64 = 1_795_194_000

    private func ride(_ seconds: [FITActivity.Second], pauses: [Range<Int64>] = []) -> FITActivity {
        FITActivity(
            sport: .indoorCycling, serial: 7, deviceName: "bike-07", start: Self.start, seconds: seconds, pauses: pauses
        )
    }

    @Test("What is known of each second comes back", arguments: FITActivity.Sport.allCases)
    func seconds(sport: FITActivity.Sport) throws {
        var random = SeededGenerator(seed: 5)
        func draw(_ range: ClosedRange<Int>) -> Int? {
            Bool.random(using: &random) ? Int.random(in: range, using: &random) : nil
        }
        let seconds = (0..<2_000).map { _ in
            FITActivity.Second(cadence: draw(0...250), watts: draw(0...2_500), bpm: draw(30...249))
        }
        var activity = ride(seconds)
        activity.sport = sport
        let recording = try FITRecording(activity.encoded())
        #expect(recording.serial == 7)
        #expect(recording.parts.allSatisfy { $0.seconds.count <= FITRecording.maximumPartSeconds })
        var found: [Int64: FITActivity.Second] = [:]
        for part in recording.parts {
            for (index, second) in part.seconds.enumerated() { found[part.start + Int64(index)] = second }
        }
        for (index, second) in seconds.enumerated() {
            #expect(found[Self.start + Int64(index)] ?? FITActivity.Second() == second)
        }
        #expect(recording.parts.allSatisfy { $0.isOfSteps == sport.isOfSteps })
    }

    @Test("A pause has no records, and nothing is put into it")
    func pauses() throws {
        let pause = Self.start + 100..<Self.start + 105
        let activity = ride(
            Array(repeating: FITActivity.Second(cadence: 80), count: 300),
            // Out of order, beyond the end, and one within another.
            pauses: [Self.start + 290..<Self.start + 999, Self.start + 102..<Self.start + 103, pause, .init(0...9)])
        #expect(activity.pauses == [pause, Self.start + 290..<Self.start + 300])
        #expect(activity.timerSeconds == 285)
        let parts = try FITRecording(activity.encoded()).parts
        #expect(parts.map(\.start) == [Self.start])
        #expect(parts[0].seconds.prefix(100).allSatisfy { $0.cadence == 80 })
        #expect(parts[0].seconds[100..<105].allSatisfy { $0.cadence == nil })
        #expect(parts.map(\.knownSeconds) == [285])
    }

    @Test("A record of a device that writes few stands for the seconds before it, ten at most")
    func sparse() throws {
        let seconds = (0..<100).map { index in
            FITActivity.Second(cadence: index % 8 == 0 && index < 50 || index == 90 ? index : nil)
        }
        let parts = try FITRecording(ride(seconds).encoded()).parts
        // Our file has a record each second, which says of most that nothing is known.
        #expect(parts.map(\.knownSeconds) == [8])
        var file = OtherDevice()
        for index in stride(from: 0, through: 40, by: 8) { file.record(at: index, cadence: UInt8(index)) }
        file.record(at: 51, cadence: 51)
        file.record(at: 353, cadence: 90)
        let found = try FITRecording(file.bytes).parts
        #expect(found.map(\.seconds.count) == [52, 1])
        #expect(found.map(\.knownSeconds) == [42, 1])
        #expect(found[0].seconds.map(\.cadence)[0...9] == [0, 8, 8, 8, 8, 8, 8, 8, 8, 16])
    }

    @Test("The way goes to the seconds by their cadence, and ends as that of the whole")
    func way() {
        var activity = ride([60, nil, 0, 120].map { FITActivity.Second(cadence: $0) })
        activity.totals.distanceMetres = 18
        #expect(activity.records.map(\.distanceMetres) == [6, 6, 6, 18])
        #expect(activity.records.map(\.speedMetresPerSecond) == [6, 0, 0, 12])
        activity.seconds = Array(repeating: FITActivity.Second(watts: 100), count: 4)
        #expect(activity.records.map(\.distanceMetres) == [4.5, 9, 13.5, 18])
        activity.seconds = []
        #expect(activity.records.isEmpty)
    }

    @Test("Numbers that a file cannot hold are held within what it can")
    func extremes() throws {
        let numbers = [Int.min, -1, 0, 254, 255, 65_535, .max]
        let amounts = [-Double.infinity, -1e300, -1, 0, 0.5, 1e300, .infinity, .nan]
        for number in numbers {
            let second = FITActivity.Second(cadence: number, watts: number, bpm: number)
            for amount in amounts {
                for sport in FITActivity.Sport.allCases {
                    var activity = FITActivity(
                        sport: sport, serial: .max, deviceName: String(repeating: "ü", count: 400),
                        start: Int64(number), seconds: [second, second], pauses: [Int64.min..<Int64.max],
                        utcOffsetSeconds: number)
                    activity.totals = totals(of: amount)
                    _ = try FITRecording(activity.encoded())
                    activity = FITActivity(
                        sport: sport, serial: 0, deviceName: "", start: Self.start, seconds: [second, second])
                    activity.totals = totals(of: amount)
                    _ = try FITRecording(activity.encoded())
                }
            }
        }
    }

    private func totals(of amount: Double) -> FITActivity.Totals {
        var totals = FITActivity.Totals()
        (totals.distanceMetres, totals.count, totals.movingSeconds) = (amount, amount, amount)
        (totals.kilocalories, totals.workJoules) = (amount, amount)
        let range = FITActivity.Range(average: amount, maximum: amount)
        (totals.cadence, totals.speedMetresPerSecond, totals.watts, totals.bpm) = (range, range, range, range)
        return totals
    }
}

/// The bytes of a file by hand, as devices write them that are not like ours.
struct OtherDevice {
    private var messages: [UInt8] = [
        // Local 3: big-endian record with time, cadence and a developer's field of two bytes; local 0: the same with its
        // time in the header.
        0x63, 0, 1, 0, 20, 2, 253, 4, 0x86, 4, 1, 2, 1, 0, 2, 0,
        0x40, 0, 0, 20, 0, 1, 4, 1, 2,
    ]
    private static let start: UInt32 = 1_000_000_000

    mutating func record(at seconds: Int, cadence: UInt8) {
        let time = Self.start + UInt32(seconds)
        messages += [3] + (0..<4).map { UInt8(truncatingIfNeeded: time >> UInt32(24 - 8 * $0)) } + [cadence, 1, 2]
    }

    /// Within 31 s of the record before it.
    mutating func timedRecord(at seconds: Int, cadence: UInt8) {
        messages += [0x80 | UInt8((Self.start + UInt32(seconds)) & 31), cadence]
    }

    /// With a header of 12 bytes, without a checksum of its own.
    var bytes: [UInt8] {
        let count = UInt32(messages.count)
        let file =
            [12, 0x10, 0, 0] + (0..<4).map { UInt8(truncatingIfNeeded: count >> UInt32(8 * $0)) } + Array(".FIT".utf8)
            + messages
        let sum = Self.checksum(file)
        return file + [UInt8(truncatingIfNeeded: sum), UInt8(sum >> 8)]
    }

    /// By the table of Garmin's documentation.
    static func checksum(_ bytes: [UInt8]) -> UInt16 {
        let table: [UInt16] = [
            0x0000, 0xCC01, 0xD801, 0x1400, 0xF001, 0x3C00, 0x2800, 0xE401,
            0xA001, 0x6C00, 0x7800, 0xB401, 0x5000, 0x9C01, 0x8801, 0x4400,
        ]
        return bytes.reduce(0) { sum, byte in
            var sum = sum
            for nibble in [byte & 15, byte >> 4] { sum = sum >> 4 ^ table[Int(sum & 15)] ^ table[Int(nibble)] }
            return sum
        }
    }
}
