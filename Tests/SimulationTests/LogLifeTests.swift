import Counter
import Seeded
import Testing

@testable import Simulation

extension SimulationTests {
    /// A log is begun, written, synced, closed, trimmed, read and emptied. Its process or the power ends at each call of
    /// that life, and at each call of the start after it.
    @Suite("The counter's log, ended at every call")
    struct LogLifeTests {
        @Test(
            "What was synced and is not stored is there in order, and nothing is taken for damaged",
            arguments: [false, true])
        func everyCall(losesPower: Bool) throws {
            var random = SeededGenerator(seed: 1)
            var calls = 0
            var hasEnded = false
            while !hasEnded {
                var life = Life(disk: SimulatedDisk())
                hasEnded = life.run(calls: calls)
                for startCalls in 0..<6 {
                    var again = life
                    if losesPower { again.disk.losePower(&random) }
                    again.startOnce(calls: startCalls)
                    if losesPower { again.disk.losePower(&random) }
                    let records = try again.start()
                    again.expectWhole(records, "ended at call \(calls), then at \(startCalls)")
                }
                calls += 1
            }
            #expect(calls > 50)
        }

        @Test("What a start gives out stays, even if the power ends before the next file is read")
        func startIsSynced() throws {
            let records = (1...3).map(Life.record)
            var written = CounterLog(SimulatedDisk(), epoch: 7, marks: LogMarks())
            try written.append(records)
            for seed in 1...50 as ClosedRange<UInt64> {
                var random = SeededGenerator(seed: seed)
                var started = CounterLog(written.files, epoch: 7, marks: LogMarks())
                let part = try started.readNext()
                #expect(part?.records.map(\.record) == records)
                var disk = started.files
                disk.losePower(&random)
                var again = CounterLog(disk, epoch: 7, marks: LogMarks())
                #expect(try again.readNext()?.records.map(\.record) == records)
            }
        }
    }

    /// What a life leaves behind: its disk, and what it was sure of.
    private struct Life {
        var disk: SimulatedDisk
        /// The last position whose effects the store has.
        var stored: UInt64 = 0
        /// The last position that was acknowledged.
        var acknowledged: UInt64 = 0

        static func record(_ position: UInt64) -> LogRecord { .motion(Array("payload \(position)".utf8)) }

        private func log(_ calls: Int) -> CounterLog<DyingDisk> {
            CounterLog(
                DyingDisk(disk: disk, callsLeft: calls), epoch: 7, marks: LogMarks(states: stored),
                segmentBytes: 200)
        }

        /// Lives until the disk answers no more; whether it came to its end.
        mutating func run(calls: Int) -> Bool {
            var log = log(calls)
            defer { disk = log.files.disk }
            do {
                _ = try log.readAll()
                for group in 0..<16 {
                    let first = log.lastPosition + 1
                    try log.append((first..<first + 3).map(Self.record))
                    try log.sync()
                    acknowledged = log.lastPosition
                    if group % 3 == 1 { stored = acknowledged - 4 }
                    try log.trim(through: stored)
                }
                stored = acknowledged
                try log.empty()
                return true
            } catch {
                return false
            }
        }

        /// A start that ends after so many calls.
        mutating func startOnce(calls: Int) {
            var log = log(calls)
            _ = try? log.readAll()
            disk = log.files.disk
        }

        /// A start that goes well.
        mutating func start() throws -> [LogRecord] {
            var log = log(.max)
            let found = try log.readAll()
            #expect(found.notes.isEmpty)
            return found.records.map(\.record)
        }

        func expectWhole(_ records: [LogRecord], _ comment: Comment) {
            #expect(records == (0..<UInt64(records.count)).map { Self.record(stored + 1 + $0) }, comment)
            #expect(stored + UInt64(records.count) >= acknowledged, comment)
        }
    }

    /// A disk that answers so many calls and then no more; the last append is half done.
    private struct DyingDisk: LogFiles {
        var disk: SimulatedDisk
        var callsLeft: Int

        private mutating func call() throws(CounterError) {
            guard callsLeft > 0 else { throw .foreign(path: "a process that has ended") }
            callsLeft -= 1
        }

        func names() -> [String] { disk.names() }
        func read(_ name: String) -> [UInt8] { disk.read(name) }

        mutating func create(_ name: String) throws(CounterError) {
            try call()
            disk.create(name)
        }

        mutating func append(_ bytes: [UInt8], to name: String) throws(CounterError) {
            if callsLeft == 0 { disk.failsAfter = bytes.count / 2 }
            try disk.append(bytes, to: name)
            try call()
        }

        mutating func sync(_ name: String) throws(CounterError) {
            try call()
            try disk.sync(name)
        }

        mutating func cut(_ name: String, to byteCount: Int) throws(CounterError) {
            try call()
            disk.cut(name, to: byteCount)
        }

        mutating func remove(_ name: String) throws(CounterError) {
            try call()
            disk.remove(name)
        }

        mutating func setAside(_ name: String) throws(CounterError) {
            try call()
            disk.setAside(name)
        }
    }
}
