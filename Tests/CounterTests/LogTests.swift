import ServiceKit
import Foundation
import TestBroker
import Testing
import Wire

@testable import Counter

@Suite("The log keeps what is acknowledged until it is stored")
struct LogTests {
    private static let epoch: UInt64 = 0x5eed
    private let folder = TemporaryFolder()

    /// What a start finds.
    private struct Found {
        var records: [LogRecord] = []
        var payloads: [[UInt8]] { records.map(\.payload) }
        var notes: [String] = []
        var log: CounterLog<LogDirectory>
    }

    private func start(
        storedThrough position: UInt64 = 0, countedThrough: UInt64 = 0, epoch: UInt64 = Self.epoch,
        segmentBytes: Int = 1 << 20
    ) throws -> Found {
        var found = Found(
            log: CounterLog(
                LogDirectory(folder.path), epoch: epoch,
                marks: LogMarks(states: position, counted: countedThrough), segmentBytes: segmentBytes))
        while let part = try found.log.readNext() {
            found.notes += part.notes
            found.records += part.records.map(\.record)
        }
        return found
    }

    /// A payload that tells its number.
    private func payload(_ number: Int) -> [UInt8] { [UInt8](repeating: UInt8(number), count: 5 + number) }

    /// Writes payloads, each synced by itself.
    private func write(_ numbers: ClosedRange<Int>, to log: inout CounterLog<LogDirectory>) throws {
        for number in numbers {
            try log.append([.motion(payload(number))])
            try log.sync()
        }
    }

    /// The one file of a log of such payloads.
    private func written(_ numbers: ClosedRange<Int>) throws -> String {
        var log = try start().log
        try write(numbers, to: &log)
        return try #require(try files.first)
    }

    private var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    private func bytes(of name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + name)))
    }

    private func replace(_ name: String, by bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/" + name))
    }

    @Test("The checksum is CRC-32C")
    func checksum() {
        let sum = Array("123456789".utf8).withUnsafeBytes { Checksum.of($0) }
        #expect(sum == 0xE306_9283)
    }

    @Test("A start gives what was written beyond the stored position, in order")
    func replay() throws {
        var log = try start().log
        try write(1...5, to: &log)
        #expect(try start().payloads == (1...5).map(payload))
        #expect(try start(storedThrough: 3).payloads == [payload(4), payload(5)])
        var later = try start(storedThrough: 3)
        #expect(later.notes.isEmpty)
        try write(6...6, to: &later.log)
        #expect(try start(storedThrough: 3).payloads == (4...6).map(payload))
    }

    @Test("Full files are closed, and deleted when the store holds what is in them")
    func rolling() throws {
        var log = try start(segmentBytes: 100).log
        try write(1...9, to: &log)
        let all = try files.count
        #expect(all > 2)
        try log.trim(through: 4)
        #expect(try files.count < all)
        #expect(try start(storedThrough: 4).payloads == (5...9).map(payload))
        try log.trim(through: 9)
        #expect(try files.count <= 1)
        try log.empty()
        #expect(try files.isEmpty)
    }

    @Test("A file is kept for a record that another was begun for and does not hold")
    func begunAgain() throws {
        var log = try start().log
        try write(1...3, to: &log)
        try replace("counter-0000000000000003.log", by: LogSegment.header(epoch: Self.epoch, firstPosition: 3))
        var found = try start()
        #expect(found.payloads == (1...3).map(payload))
        try found.log.trim(through: 2)
        #expect(try start(storedThrough: 2).payloads == [payload(3)])
        try found.log.trim(through: 3)
        #expect(try files.count <= 1)
    }

    @Test("A file torn at any byte gives the whole records before it, and is gone on with")
    func torn() throws {
        let name = try written(1...3)
        let whole = try bytes(of: name)
        for length in 0..<whole.count {
            try replace(name, by: Array(whole.prefix(length)))
            var found = try start()
            #expect(found.payloads == (1...3).map(payload).prefix(found.payloads.count).map(\.self))
            #expect(found.notes.isEmpty, "torn at \(length)")
            let count = found.payloads.count
            try found.log.append([.motion(payload(7))])
            try found.log.sync()
            #expect(try start().payloads == (1...3).map(payload).prefix(count) + [payload(7)])
            for file in try files where file != name {
                try FileManager.default.removeItem(atPath: folder.path + "/" + file)
            }
        }
    }

    @Test("Damage in the middle is told, costs its record alone, and the file is kept aside")
    func damagedMiddle() throws {
        var log = try start().log
        try write(1...2, to: &log)
        let name = try #require(try files.first)
        let (first, end) = (try bytes(of: name).count, LogSegment.headerBytes + LogSegment.recordHeadBytes + 6)
        try write(3...4, to: &log)
        let whole = try bytes(of: name)
        for index in end..<first {
            var damaged = whole
            damaged[index] ^= 0x10
            try replace(name, by: damaged)
            let found = try start()
            #expect(found.payloads == [payload(1), payload(3), payload(4)], "byte \(index)")
            #expect(found.notes.count == 1)
        }
        var found = try start()
        try write(5...5, to: &found.log)
        try found.log.trim(through: 5)
        #expect(try files.contains(name + ".damaged"))
    }

    @Test(
        "Damage in a group costs its record alone too, whichever of the group it is, also where another file follows",
        arguments: 1...3, [nil, 60])
    func damagedGroup(number: Int, segmentBytes: Int?) throws {
        var log = try segmentBytes.map { try start(segmentBytes: $0).log } ?? start().log
        try log.append((1...3).map { .motion(payload($0)) })
        try log.sync()
        try write(4...5, to: &log)
        #expect(try files.count > (segmentBytes == nil ? 0 : 1))
        try damage(recordAfter: 1..<number, of: try #require(try files.first))
        let found = try start()
        #expect(found.payloads == (1...5).filter { $0 != number }.map(payload))
        #expect(found.notes.count == 1)
    }

    @Test("A group that was torn after a start is no damage, whatever the last file was begun for", arguments: [0, 1])
    func tornAfterStart(heldCount: Int) throws {
        var log = try start().log
        try write(1...4, to: &log)
        var begun = LogSegment.header(epoch: Self.epoch, firstPosition: 3)
        if heldCount == 1 { LogSegment.append(1, payload(3), position: 3, syncedThrough: 2, to: &begun) }
        try replace("counter-0000000000000003.log", by: begun)
        var found = try start()
        #expect(found.payloads == (1...4).map(payload))
        try found.log.append([.motion(payload(5)), .motion(payload(6))])
        let last = try #require(try files.last)
        let groupBytes = payload(5).count + LogSegment.recordHeadBytes + payload(6).count
        try damage(byte: try bytes(of: last).count - groupBytes, of: last)
        let again = try start()
        #expect(again.payloads == (1...4).map(payload))
        #expect(again.notes.isEmpty)
    }

    /// Damages the payload of a record that stands behind others in a file.
    private func damage(recordAfter before: Range<Int>, of name: String) throws {
        let offset = before.reduce(LogSegment.headerBytes) { $0 + LogSegment.recordHeadBytes + payload($1).count }
        try damage(byte: offset + LogSegment.recordHeadBytes, of: name)
    }

    private func damage(byte index: Int, of name: String) throws {
        var bytes = try bytes(of: name)
        bytes[index] ^= 0x10
        try replace(name, by: bytes)
    }

    @Test("A log of another version is refused with a line that says what to do", arguments: [-1, 1])
    func otherVersion(difference: Int) throws {
        let name = try written(1...1)
        var bytes = try bytes(of: name)
        bytes[4] = UInt8(Int(LogSegment.version) + difference)
        let sum = bytes.withUnsafeBytes {
            Checksum.of(UnsafeRawBufferPointer(rebasing: $0[..<(LogSegment.headerBytes - 4)]))
        }
        for index in 0..<4 {
            bytes[LogSegment.headerBytes - 4 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index))
        }
        try replace(name, by: bytes)
        #expect(throws: CounterError.otherLogVersion(path: name)) { try start() }
        #expect(try files == [name])
    }

    @Test("A damaged beginning and another store's log are set aside with a line")
    func foreignFiles() throws {
        let name = try written(1...1)
        let other = try start(epoch: 1)
        #expect(other.payloads.isEmpty && other.notes.count == 1)
        #expect(try files == [name + ".damaged"])
        try replace(name, by: [UInt8](repeating: 7, count: 60))
        #expect(try start().notes.count == 1)
        #expect(try files == [name + ".damaged"])
    }

    @Test("Where the end of the log is lost, that is told, and what comes next has places that no state follows from")
    func lostEnd() throws {
        let name = try written(1...3)
        let whole = try bytes(of: name)
        try replace(name, by: Array(whole.dropLast(payload(3).count + LogSegment.recordHeadBytes)))
        var found = try start(storedThrough: 1, countedThrough: 3)
        #expect(found.payloads == [payload(2)])
        #expect(found.notes.map { $0.contains("records 3 to 3") } == [true])
        #expect(found.log.lastPosition == 3)
        try write(4...4, to: &found.log)
        #expect(try start(storedThrough: 3).payloads == [payload(4)])
    }

    @Test("A disk without room leaves the log as it was, and the same records can be written again")
    func diskFull() throws {
        var log = try start().log
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/counter-0000000000000001.log", withDestinationPath: "/dev/full")
        #expect(throws: CounterError.store(.diskFull(path: folder.path + "/counter-0000000000000001.log"))) {
            try log.append([.motion(payload(1))])
        }
        #expect(log.lastPosition == 0 && log.syncedPosition == 0)
        try FileManager.default.removeItem(atPath: folder.path + "/counter-0000000000000001.log")
        try write(1...2, to: &log)
        #expect(try start().payloads == [payload(1), payload(2)])
    }

    @Test("Everything that changes the counter comes back as it was written")
    func kinds() throws {
        let device: DeviceID = "bike-07"
        let records: [LogRecord] = [
            .motion(payload(1)), .config(device, Array("{}".utf8)), .config(device, []),
            .forget(CountsForget(device: device, minutes: 5..<9, isWhole: true)),
            .silence(
                .init(
                    nowMicroseconds: Walk.start,
                    devices: [.init(device: device, since: 17), .init(device: "x", since: -1)])),
        ]
        var log = try start().log
        try log.append(records)
        try log.sync()
        #expect(try start().records == records)
    }
}
