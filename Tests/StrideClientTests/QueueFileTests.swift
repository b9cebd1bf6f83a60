import Seeded
import Testing
import Wire

@testable import StrideClient

@Suite("The file of a queue")
struct QueueFileTests {
    let directory: QueueDirectory
    let device: DeviceID

    init() throws {
        directory = try QueueDirectory()
        device = try DeviceID("watch-3")
    }

    @Test("Wherever the file is cut off, what was there before the cut is recovered, and it goes on", arguments: 1...4)
    func truncation(seed: UInt64) throws {
        let history = try QueueHistory(seed: seed, directory: directory)
        let bytes = try directory.bytes()
        for cut in 0...bytes.count {
            try directory.write(Array(bytes[..<cut]), to: "cut")
            var file = try QueueFile(directory.configuration("cut"))
            let expected = history.state(atSize: cut)
            #expect(try file.waitingPayloads == expected.payloads, "cut at \(cut)")
            #expect(file.counts.waitingFrames == expected.payloads.count)
            #expect(file.counts.refusedFrames == expected.refused)
            #expect(file.counts.discardedBytes == (cut < 4 ? 0 : cut - expected.size))
            try file.append([QueuedFrame(device: device, payload: [7])])
            let reopened = try QueueFile(directory.configuration("cut"))
            #expect(try reopened.waitingPayloads == expected.payloads + [[7]])
        }
    }

    @Test("Whichever byte is damaged, the records before it are recovered", arguments: 1...2)
    func damage(seed: UInt64) throws {
        let history = try QueueHistory(seed: seed, directory: directory)
        let bytes = try directory.bytes()
        for index in QueueRecord.header.count..<bytes.count {
            var damaged = bytes
            damaged[index] ^= UInt8(1 << (index % 8))
            try directory.write(damaged, to: "cut")
            let file = try QueueFile(directory.configuration("cut"))
            #expect(try file.waitingPayloads == history.state(atSize: index).payloads, "damaged at \(index)")
        }
    }

    @Test("What is done with is cut out of the file, and what waits stays in its order")
    func compaction() throws {
        var file = try QueueFile(directory.configuration())
        let payload = [UInt8](repeating: 7, count: 40_000)
        var largest = 0
        for round in 0..<60 {
            try file.append([QueuedFrame(device: device, payload: payload + [UInt8(round)])])
            guard round >= 3 else { continue }
            try file.acknowledge(try file.nextBatch(maximumFrames: 1, maximumBytes: 1))
            largest = max(largest, try directory.bytes().count)
        }
        #expect(largest < QueueFile.usualGarbageBytes + 5 * 41_000)
        #expect(try file.waitingPayloads.map(\.last) == [57, 58, 59])
        // What a death in the middle of writing anew leaves behind.
        try directory.write([1, 2, 3], to: "frames.new")
        var reopened = try QueueFile(directory.configuration())
        #expect(try reopened.waitingPayloads.map(\.last) == [57, 58, 59])
        for _ in 0..<3 { try reopened.acknowledge(try reopened.nextBatch(maximumFrames: 1, maximumBytes: 1)) }
        #expect(reopened.counts.waitingFrames == 0 && reopened.counts.waitingBytes == 0)
    }

    @Test("A full queue refuses the newest, tells how many for the life of the file, and does not grow by telling")
    func full() throws {
        var file = try QueueFile(directory.configuration(maximumFrames: 3))
        let frames = (0..<5).map { QueuedFrame(device: device, payload: [$0]) }
        #expect(throws: MotionQueueError.full(refusedFrames: 2)) { try file.append(frames) }
        let size = try directory.bytes().count
        for _ in 0..<10 {
            #expect(throws: MotionQueueError.full(refusedFrames: 1)) { try file.append([frames[4]]) }
        }
        #expect(try directory.bytes().count == size)
        let reopened = try QueueFile(directory.configuration(maximumFrames: 3))
        #expect(reopened.counts.refusedFrames == 12)
        #expect(try reopened.waitingPayloads == [[0], [1], [2]])
    }

    @Test("Bytes are a limit of their own")
    func fullOfBytes() throws {
        let record = QueueRecord.frame(QueuedFrame(device: device, payload: [0])).encoded().count
        var file = try QueueFile(directory.configuration(maximumBytes: record * 2))
        let frames = (0..<3).map { QueuedFrame(device: device, payload: [$0]) }
        #expect(throws: MotionQueueError.full(refusedFrames: 1)) { try file.append(frames) }
        #expect(file.counts.waitingBytes == record * 2)
    }

    @Test("A batch keeps to its limits, and one frame that is larger goes alone")
    func batches() throws {
        var file = try QueueFile(directory.configuration())
        try file.append((0..<5).map { QueuedFrame(device: device, payload: .init(repeating: $0, count: 100)) })
        #expect(try file.nextBatch(maximumFrames: 2, maximumBytes: 10_000).frames.count == 2)
        #expect(try file.nextBatch(maximumFrames: 10, maximumBytes: 300).frames.count == 2)
        #expect(try file.nextBatch(maximumFrames: 10, maximumBytes: 1).frames.count == 1)
    }

    @Test("A file of something else is left alone")
    func foreign() throws {
        let text = Array("date,steps\n".utf8)
        try directory.write(text, to: "frames")
        #expect(throws: MotionQueueError.notAQueue(path: directory.file())) {
            _ = try QueueFile(directory.configuration())
        }
        #expect(try directory.bytes() == text)
    }
}

extension QueueFile {
    /// The payloads that wait.
    fileprivate var waitingPayloads: [[UInt8]] {
        get throws { try nextBatch(maximumFrames: .max, maximumBytes: .max).frames.map(\.payload) }
    }
}

/// What happened to a file, drawn from a seed: frames came, were refused, and were sent.
private struct QueueHistory {
    struct State {
        var size = 4
        var payloads: [[UInt8]] = []
        var refused: UInt64 = 0
    }

    private var states = [State()]

    init(seed: UInt64, directory: QueueDirectory) throws {
        var random = SeededGenerator(seed: seed)
        var file = try QueueFile(directory.configuration(maximumFrames: 6))
        for _ in 0..<30 {
            if random.next() % 3 == 0, file.counts.waitingFrames > 0 {
                let count = Int(random.next() % UInt64(file.counts.waitingFrames)) + 1
                try file.acknowledge(try file.nextBatch(maximumFrames: count, maximumBytes: .max))
            } else {
                let payload = (0..<random.next() % 40).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                let device = try DeviceID("device-\(random.next() % 3)")
                try? file.append([QueuedFrame(device: device, payload: payload)])
            }
            note(try directory.bytes().count, try file.waitingPayloads, file.counts.refusedFrames)
        }
    }

    /// Losses that are told in the same place take the place of what was told there.
    private mutating func note(_ size: Int, _ payloads: [[UInt8]], _ refused: UInt64) {
        if states.last?.size == size { states.removeLast() }
        states.append(State(size: size, payloads: payloads, refused: refused))
    }

    /// What a file of so many bytes holds.
    func state(atSize size: Int) -> State {
        states.last { $0.size <= size } ?? State()
    }
}
