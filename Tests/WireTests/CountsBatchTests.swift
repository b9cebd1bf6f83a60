import Seeded
import Testing
@testable import Wire

@Suite("Batches from counter to history")
struct CountsBatchTests {
    @Test("A batch comes back as it went in", arguments: [0, 1, 400])
    func roundTrip(rows: Int) throws {
        let batch = Self.batch(rows: rows, seed: 7)
        #expect(try Self.decode(batch.encoded()) == batch)
        #expect(batch.encoded().count <= 65_536)
    }

    @Test("A request to send again comes back as it went in")
    func resend() throws {
        let resend = CountsResend(revisions: [.max: 42, 1: 0])
        let read = try resend.encoded().withRawBytes { bytes throws(WireError) in try CountsResend(decoding: bytes) }
        #expect(read == resend)
        let many = CountsResend(revisions: Dictionary(uniqueKeysWithValues: (0..<17).map { ($0, 1) })).encoded()
        #expect(throws: WireError.payloadTooLarge) {
            try many.withRawBytes { bytes throws(WireError) in try CountsResend(decoding: bytes) }
        }
    }

    @Test("An order to forget comes back as it went in, and one that makes no sense is refused")
    func forget() throws {
        let device = try DeviceID("watch-3")
        let order = CountsForget(device: device, minutes: 29_900_000..<29_900_060, isWhole: false)
        func read(_ bytes: [UInt8]) throws(WireError) -> CountsForget {
            try bytes.withRawBytes { bytes throws(WireError) in try CountsForget(decoding: bytes) }
        }
        #expect(try read(order.encoded()) == order)
        let whole = CountsForget(device: device, minutes: 0..<7, isWhole: true)
        #expect(try read(whole.encoded()) == whole)
        let bytes = whole.encoded()
        for count in 4..<bytes.count { #expect(throws: WireError.malformed) { try read(Array(bytes[..<count])) } }
        #expect(throws: WireError.malformed) { try read(bytes + [0]) }
        #expect(throws: WireError.malformed) { try read(bytes.dropLast() + [2]) }
        #expect(throws: WireError.unsupportedVersion) { try read(Array(bytes[..<3]) + [9] + bytes[4...]) }
    }

    @Test("A row that cannot be read harms no other, and is counted")
    func oneDamaged() throws {
        let batch = Self.batch(rows: 3, seed: 5)
        var alone = batch
        alone.rows = [batch.rows[0]]
        var bytes = batch.encoded()
        // The length of the name of the second row's device.
        bytes[alone.encoded().count + 4] = 0
        let read = try Self.decode(bytes)
        #expect(read.rows == [batch.rows[0], batch.rows[2]] && read.unreadableRows == 1)
        #expect(read.lastRevision == batch.lastRevision)
    }

    @Test("A batch cut short, too long or of another version is refused")
    func refused() throws {
        let bytes = Self.batch(rows: 2, seed: 1).encoded()
        for count in 4..<bytes.count {
            #expect(throws: WireError.malformed) { try Self.decode(Array(bytes[..<count])) }
        }
        #expect(throws: WireError.malformed) { try Self.decode(bytes + [0]) }
        #expect(throws: WireError.emptyPayload) { try Self.decode([]) }
        #expect(throws: WireError.unsupportedVersion) { try Self.decode(Array(bytes[..<3]) + [9] + bytes[4...]) }
        #expect(throws: WireError.payloadTooLarge) { try Self.decode(Self.batch(rows: 401, seed: 1).encoded()) }
    }

    @Test("Words come back as they went in, and none that makes no sense")
    func words() throws {
        var batch = Self.batch(rows: 1, seed: 3)
        let start: Int64 = 1_795_194_000_000_000
        let word = try #require(
            StepWord(start: start, end: start + 60_000_000, microSteps: 450_000, micrometresPerStep: 700_000))
        batch.words = (0..<399).map { WordRow(device: .fallback, word: word, epoch: 5, revision: UInt64($0)) }
        let bytes = batch.encoded()
        #expect(try Self.decode(bytes) == batch)
        #expect(bytes.count <= 65_536)
        batch.words.append(batch.words[0])
        #expect(throws: WireError.payloadTooLarge) { try Self.decode(batch.encoded()) }
        batch.words = [batch.words[0]]
        for change in [{ $0.end = start }, { $0.start = -1 }, { $0.microSteps = -1 }, { $0.end = .max }]
            as [(inout StepWord) -> Void]
        {
            var odd = batch
            change(&odd.words[0].word)
            let read = try Self.decode(odd.encoded())
            #expect(read.words.isEmpty && read.unreadableRows == 1)
        }
        #expect(StepWord(start: start, end: start + 31 * 86_400_000_000 + 1, microSteps: 1) == nil)
    }

    static func decode(_ bytes: [UInt8]) throws(WireError) -> CountsBatch {
        try bytes.withRawBytes { bytes throws(WireError) in try CountsBatch(decoding: bytes) }
    }

    static func batch(rows: Int, seed: UInt64) -> CountsBatch {
        var generator = SeededGenerator(seed: seed)
        let minutes = (0..<rows).map { index in
            var row = MinuteRow(
                device: .fallback, minute: .random(in: 0...30_000_000, using: &generator), epoch: 5,
                revision: UInt64(index))
            row.steps = .random(in: 0...200, using: &generator)
            row.revolutions = .random(in: 0...200, using: &generator)
            row.coveredMilliseconds = 60_000
            if index % 2 == 1 { row.floors = FloorCounts(ascended: UInt64(index), descended: 70_000) }
            row.cadence.integral = Double(Float.random(in: 0...6_000, using: &generator))
            row.cadence.maximum = Double(Float.random(in: 0...200, using: &generator))
            for kind in Amount.activities { row.counts[kind] = .random(in: 0...60_000, using: &generator) }
            return row
        }
        return CountsBatch(
            epoch: 5, previousRevision: 3, lastRevision: 4, rows: minutes)
    }
}
