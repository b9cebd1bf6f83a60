import FIT
import Seeded
import Testing
import Wire

@Suite("Activities written as FIT files, and read again")
struct FITRoundTripTests {
    private static let start: Int64 = 1_795_194_000

    private func activity(
        _ kind: WorkoutKind = .ride, cadence: [Int?], watts: [Int?]? = nil, bpm: [Int?]? = nil,
        pauses: [Range<Double>] = [], distanceMetres: Double? = nil
    ) -> FITActivity {
        let workout = Workout {
            ($0.kind, $0.devices, $0.pauses, $0.distanceMetres) = (
                kind, [try? DeviceID("bike-07")].compactMap(\.self), pauses, distanceMetres
            )
            ($0.start, $0.end) = (Double(Self.start), Double(Self.start) + Double(cadence.count))
        }
        return FITActivity(workout, WorkoutData { ($0.cadence, $0.watts, $0.bpm) = (cadence, watts, bpm) })
    }

    @Test("What is known of each second comes back", arguments: WorkoutKind.allCases)
    func seconds(kind: WorkoutKind) throws {
        var random = SeededGenerator(seed: 5)
        func draw(_ range: ClosedRange<Int>) -> [Int?] {
            (0..<2_000).map { _ in
                Bool.random(using: &random) ? Int.random(in: range, using: &random) : nil
            }
        }
        let (cadence, watts, bpm) = (draw(0...250), draw(0...2_500), draw(30...249))
        let recording = try FITRecording(activity(kind, cadence: cadence, watts: watts, bpm: bpm).encoded())
        #expect(recording.serial != nil)
        #expect(recording.parts.allSatisfy { $0.count <= RecordedSeconds.maximumSeconds })
        var found: [Int64: [Int?]] = [:]
        for part in recording.parts {
            for index in 0..<part.count {
                found[part.start + Int64(index)] = [part.cadence[index], part.watts[index], part.bpm[index]]
            }
        }
        for index in cadence.indices {
            #expect(
                found[Self.start + Int64(index)] ?? [nil, nil, nil] == [cadence[index], watts[index], bpm[index]])
        }
        #expect(recording.parts.allSatisfy { $0.isOfSteps == (kind != .ride) })
    }

    @Test("A pause has no records, and nothing is put into it")
    func pauses() throws {
        let start = Double(Self.start)
        let activity = activity(
            cadence: Array(repeating: 80, count: 300),
            // Before the beginning, and beyond the end.
            pauses: [start - 9..<start, start + 100..<start + 105, start + 290..<start + 999])
        #expect(activity.pauses == [Self.start + 100..<Self.start + 105, Self.start + 290..<Self.start + 300])
        #expect(activity.timerSeconds == 285)
        let parts = try FITRecording(activity.encoded()).parts
        #expect(parts.map(\.start) == [Self.start])
        #expect(parts[0].cadence.prefix(100).allSatisfy { $0 == 80 })
        #expect(parts[0].cadence[100..<105].allSatisfy { $0 == nil })
        #expect(parts[0].cadence.count { $0 != nil } == 285)
    }

    @Test("A record of a device that writes few stands for the seconds before it, ten at most")
    func sparse() throws {
        let cadence = (0..<100).map { $0 % 8 == 0 && $0 < 50 || $0 == 90 ? $0 : nil }
        let parts = try FITRecording(activity(cadence: cadence).encoded()).parts
        // Our file has a record each second, which says of most that nothing is known.
        #expect(parts.map { $0.cadence.count { $0 != nil } } == [8])
        var file = OtherDevice()
        for index in stride(from: 0, through: 40, by: 8) { file.record(at: index, cadence: UInt8(index)) }
        file.record(at: 51, cadence: 51)
        file.record(at: 353, cadence: 90)
        let found = try FITRecording(file.bytes).parts
        #expect(found.map(\.count) == [52, 1])
        #expect(found.map { $0.cadence.count { $0 != nil } } == [42, 1])
        #expect(found[0].cadence[0...9] == [0, 8, 8, 8, 8, 8, 8, 8, 8, 16])
    }

    @Test("The way goes to the seconds by their cadence, and ends as that of the whole")
    func way() {
        var records = activity(cadence: [60, nil, 0, 120], distanceMetres: 18).records
        #expect(records.map(\.distanceMetres) == [6, 6, 6, 18])
        #expect(records.map(\.speedMetresPerSecond) == [6, 0, 0, 12])
        records = activity(cadence: [nil, nil, nil, nil], distanceMetres: 18).records
        #expect(records.map(\.distanceMetres) == [4.5, 9, 13.5, 18])
        #expect(activity(cadence: [], distanceMetres: 18).records.isEmpty)
    }

    @Test("The title of a workout, or that of its class, stands in the file")
    func title() throws {
        for (title, classTitle, expected) in [
            ("Hills", "Monday", "Hills"), (nil, "Monday", "Monday"), (nil, nil, nil),
        ] as [(String?, String?, String?)] {
            let workout = Workout { ($0.title, $0.classTitle) = (title, classTitle) }
            let bytes = FITActivity(workout, WorkoutData()).encoded()
            var names: [String] = []
            try FITFile.forEachMessage(in: bytes) { if $0.number == 26 { names.append("title") } }
            #expect(names.count == (expected == nil ? 0 : 1))
            if let expected { #expect(bytes.firstRange(of: Array(expected.utf8) + [0]) != nil) }
        }
    }

    @Test("Numbers that a file cannot hold are held within what it can")
    func extremes() throws {
        for number in [Int.min, -1, 0, 254, 255, 65_535, .max] {
            let numbers = WorkoutData {
                ($0.cadence, $0.watts, $0.bpm) = ([number, number], [number], [nil, number, nil])
            }
            for amount in [-Double.infinity, -1e300, -1, 0, 0.5, 1e300, .infinity, .nan] {
                for kind in WorkoutKind.allCases {
                    let workout = Workout {
                        ($0.kind, $0.title, $0.start, $0.end) = (
                            kind, String(repeating: "ü", count: 400), amount, amount
                        )
                        ($0.steps, $0.revolutions) = (UInt64(clamping: number), .max)
                        ($0.distanceMetres, $0.movingSeconds) = (amount, amount)
                        $0.energy = WorkoutEnergy(kilocalories: amount, source: .power, formula: "")
                        $0.rpm = CadenceFigures(average: amount, minimum: amount, maximum: amount)
                        $0.spm = $0.rpm
                        ($0.speedAverageMetresPerSecond, $0.speedMaximumMetresPerSecond) = (amount, amount)
                        $0.heart = ReadingFigures(average: amount, maximum: amount, seconds: number)
                        $0.power = $0.heart
                        $0.pauses = [-1e300..<1e300]
                    }
                    let activity = FITActivity(workout, numbers, utcOffsetSeconds: Int64(number))
                    _ = try FITRecording(activity.encoded())
                }
            }
        }
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
