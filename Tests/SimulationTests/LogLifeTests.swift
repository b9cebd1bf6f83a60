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

        private func log(_ calls: Int) -> CounterLog<SimulatedDisk> {
            var disk = disk
            disk.callsLeft = calls
            return CounterLog(disk, epoch: 7, marks: LogMarks(states: stored), segmentBytes: 200)
        }

        /// Lives until the disk answers no more; whether it came to its end.
        mutating func run(calls: Int) -> Bool {
            var log = log(calls)
            defer { disk = log.files }
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
            disk = log.files
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
}
