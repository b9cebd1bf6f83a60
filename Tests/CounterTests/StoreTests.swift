import Seeded
import Foundation
import GRDB
import TestBroker
import Testing
@testable import Wire

@testable import Counter

@Suite("The store keeps states, minutes and how far history has them")
struct StoreTests {
    private let folder = TemporaryFolder()
    private let device: DeviceID = "walker-1"
    private let minute = Walk.start / 60_000_000

    private func commit(_ steps: Int64, minute offset: Int64 = 0, state: [UInt8] = [1, 2, 3]) -> CounterCommit {
        var increment = MinuteIncrement(device, minute + offset, [.steps: steps, .covered: 1_500_000])
        let cadence = 100 + Float(steps)
        increment.addCadence(cadence, milliseconds: 1000)
        increment.include(minimum: cadence, maximum: cadence)
        var commit = CounterCommit([increment])
        commit.states = [CounterCommit.State(device: device, bytes: state)]
        return commit
    }

    @Test("Increments add up in their minute, whose revision grows")
    func adding() async throws {
        let store = try CounterStore(directory: folder.path)
        try await store.commit(commit(5), nowMicroseconds: 1)
        try await store.commit(commit(7), nowMicroseconds: 2)
        let batch = try #require(try await store.counts(after: 0))
        let row = try #require(batch.rows.first)
        #expect(batch.rows.count == 1)
        #expect(row.steps == 12)
        #expect(row.coveredMilliseconds == 3000)
        #expect(row.cadence.seconds == 2 && row.cadence.integral == 212)
        #expect(row.cadence.minimum == 105 && row.cadence.maximum == 107)
        #expect(row.revision == 2 && row.epoch == store.epoch)
        #expect(batch.previousRevision == 0 && batch.lastRevision == 2)
    }

    @Test("Every device with a state or a config is read at a start, a few at a time")
    func devices() async throws {
        let store = try CounterStore(directory: folder.path)
        var commit = CounterCommit()
        let names: [DeviceID] = (1...9).map { "walker-\($0)" }
        for name in names.dropFirst(3) { commit.states.append(CounterCommit.State(device: name, bytes: [1])) }
        for name in names.prefix(5) { commit.configs[name] = Array("{}".utf8) }
        try await store.commit(commit, nowMicroseconds: 1)
        var found: [StoredDevice] = []
        while true {
            let next = try await store.devices(after: found.last?.device, atMost: 2)
            guard !next.isEmpty else { break }
            found += next
        }
        #expect(found.map(\.device) == names)
        #expect(found.map { $0.state != nil } == names.indices.map { $0 >= 3 })
        #expect(found.map { $0.config != nil } == names.indices.map { $0 < 5 })
    }

    @Test("What is committed is there for the next process, with the same epoch")
    func reopening() async throws {
        let first = try CounterStore(directory: folder.path)
        var commit = commit(5, state: [9, 8])
        commit.configs = [device: Array("{}".utf8)]
        try await first.commit(commit, nowMicroseconds: 1)
        try first.close()
        let epoch = first.epoch
        _ = consume first
        let store = try CounterStore(directory: folder.path)
        #expect(store.epoch == epoch)
        #expect(try await store.stored(device)?.state == [9, 8])
        #expect(try await store.stored(device)?.config == Array("{}".utf8))
        #expect(try await store.lastRevision() == 1)
    }

    @Test("Floors are sent where a barometer told its pressure, and only there")
    func floors() async throws {
        let store = try CounterStore(directory: folder.path)
        for (offset, pressures, floors) in [(0, 0, 0), (1, 60, 0), (2, 30, 1), (2, 30, 2)] as [(Int64, Int64, Int64)] {
            let increment = MinuteIncrement(
                device, minute + offset, [.steps: 1, .pressures: pressures, .floorsUp: floors])
            try await store.commit(CounterCommit([increment]), nowMicroseconds: 1)
        }
        let rows = try #require(try await store.counts(after: 0)?.rows).sorted { $0.minute < $1.minute }
        #expect(rows.map(\.floors) == [nil, FloorCounts(), FloorCounts(ascended: 3)])
    }

    @Test("What a device counted itself fills the time without samples, in whatever order the two come")
    func gapsFilled() async throws {
        var increments: [MinuteIncrement] = []
        for (offset, seconds) in [(0, 60), (1, 30), (2, 0)] as [(Int64, Int64)] {
            let minute = minute + offset
            let counted = MinuteIncrement(device, minute, [.steps: 2, .covered: 1_000_000])
            let told = MinuteIncrement(device, minute, origin: .device, [.steps: 34, .distance: 24_000_000])
            increments += Array(repeating: counted, count: Int(seconds)) + Array(repeating: told, count: 3)
        }
        for seed in UInt64(0)..<3 {
            var generator = SeededGenerator(seed: seed)
            let store = try CounterStore(directory: folder.path + "/\(seed)")
            for increment in increments.shuffled(using: &generator) {
                try await store.commit(CounterCommit([increment]), nowMicroseconds: 1)
            }
            let rows = try #require(try await store.counts(after: 0)?.rows).sorted {
                $0.minute < $1.minute
            }
            #expect(rows.map(\.steps) == [120, 60 + 51, 102])
            #expect(rows.map(\.distanceMillimetres) == [0, 36_000, 72_000])
            #expect(rows.map(\.coveredMilliseconds) == [60_000, 30_000, 0])
            #expect(try await store.prune(beforeMinute: minute + 3) == 0)
            try await store.setPublished(try await store.lastRevision())
            #expect(try await store.prune(beforeMinute: minute + 3) == 0)
            try await store.setConfirmed(try await store.lastRevision())
            #expect(try await store.prune(beforeMinute: minute + 3) == 3)
            #expect(try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM self_reported") } == 0)
        }
    }

    @Test("A store in which recordings do not stand apart yet is taken up, and a recording adds what nobody counted")
    func recordings() async throws {
        do {
            let old = try CounterStore(directory: folder.path)
            try await old.write { try $0.execute(sql: "DROP TABLE recorded") }
            try old.close()
        }
        let store = try CounterStore(directory: folder.path)
        let recorded = MinuteIncrement(device, minute, origin: .recording, [.revolutions: 90, .covered: 60_000_000])
        let own = MinuteIncrement(device, minute, origin: .device, [.revolutions: 40, .covered: 30_000_000])
        let untimed = MinuteIncrement(device, minute + 1, origin: .device, [.revolutions: 80])
        var later = recorded
        later.minute += 1
        try await store.commit(CounterCommit([recorded, own, later, untimed]), nowMicroseconds: 1)
        let rows = try #require(try await store.counts(after: 0)?.rows).sorted { $0.minute < $1.minute }
        #expect(rows.map { $0.counts.revolutions } == [85, 90])
    }

    @Test("A commit that fails leaves nothing, and succeeds when it is tried again")
    func failing() async throws {
        let store = try CounterStore(directory: folder.path)
        try await store.commit(commit(1), nowMicroseconds: 1)
        try await store.write {
            try $0.execute(sql: "CREATE TRIGGER full BEFORE UPDATE ON minutes BEGIN SELECT RAISE(ABORT, 'full'); END")
        }
        await #expect(throws: CounterError.self) { try await store.commit(commit(2, state: [7]), nowMicroseconds: 2) }
        #expect(try await store.stored(device)?.state == [1, 2, 3])
        try await store.write { try $0.execute(sql: "DROP TRIGGER full") }
        try await store.commit(commit(2, state: [7]), nowMicroseconds: 3)
        #expect(try await store.counts(after: 0)?.rows.first?.steps == 3)
        #expect(try await store.stored(device)?.state == [7])
    }

    @Test("A store of another version, and a file of something else, are refused and left alone")
    func foreign() async throws {
        let path = folder.path + "/" + CounterStore.fileName
        try CounterStore(directory: folder.path).close()
        let queue = try DatabaseQueue(path: path)
        for version in [2, 99] {
            try await queue.write { try $0.execute(sql: "PRAGMA user_version = \(version)") }
            #expect(throws: CounterError.otherVersion(path: path)) { try CounterStore(directory: folder.path) }
        }
        try await queue.write { try $0.execute(sql: "PRAGMA user_version = 1; PRAGMA application_id = 7") }
        #expect(throws: CounterError.foreign(path: path)) { try CounterStore(directory: folder.path) }
    }

    @Test("A damaged file is set aside, and a store with another epoch begins")
    func damaged() async throws {
        let first = try CounterStore(directory: folder.path)
        try await first.commit(commit(5), nowMicroseconds: 1)
        try first.close()
        let epoch = first.epoch
        _ = consume first
        let path = folder.path + "/" + CounterStore.fileName
        try Data(repeating: 0x5a, count: 8192).write(to: URL(filePath: path))
        let store = try CounterStore(directory: folder.path)
        #expect(store.openingNote?.contains("set aside") == true)
        #expect(store.epoch != epoch)
        #expect(try await store.lastRevision() == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.contains { $0.contains("damaged") })
    }

    @Test(
        "Old minutes that history confirmed are pruned; late data for one begins a row of another epoch, which adds to it"
    )
    func pruning() async throws {
        let store = try CounterStore(directory: folder.path)
        try await store.commit(commit(5), nowMicroseconds: 1)
        try await store.commit(commit(6, minute: 1), nowMicroseconds: 1)
        #expect(try await store.prune(beforeMinute: minute + 1) == 0)
        try await store.setPublished(2)
        // The broker took them, but history has not said that it has them.
        #expect(try await store.prune(beforeMinute: minute + 1) == 0)
        try await store.setConfirmed(2)
        #expect(try await store.prune(beforeMinute: minute + 1) == 1)
        try await store.commit(commit(2), nowMicroseconds: 2)
        try await store.commit(commit(1), nowMicroseconds: 2)
        let rows = try #require(try await store.counts(after: 2)).rows
        #expect(rows.count == 1)
        #expect(rows.first?.steps == 3 && rows.first?.epoch != store.epoch)
    }

    @Test(
        "Many old minutes are pruned in slices, the oldest first, and those of devices that count themselves with them")
    func slices() async throws {
        let store = try CounterStore(directory: folder.path)
        let count = CounterStore.maximumPruned + 500
        try await store.write { db in
            for table in ["minutes", "self_reported", "recorded"] {
                let columns = table == "minutes" ? "device, minute, partition, epoch, revision" : "device, minute"
                let values = table == "minutes" ? "'x', i, 0, 1, i + 1" : "'x', i"
                try db.execute(
                    sql: """
                        WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(count))
                        INSERT INTO \(table) (\(columns), cadence_min, cadence_max) SELECT \(values), 0, 0 FROM n
                        """)
            }
        }
        try await store.setPublished(UInt64(count))
        try await store.setConfirmed(UInt64(count))
        #expect(try await store.prune(beforeMinute: 1 << 40) == CounterStore.maximumPruned)
        let oldest = try await store.read { try Int.fetchOne($0, sql: "SELECT min(minute) FROM minutes") }
        #expect(oldest == CounterStore.maximumPruned)
        #expect(try await store.prune(beforeMinute: 1 << 40) == 500)
        #expect(try await store.prune(beforeMinute: 1 << 40) == 0)
        #expect(try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM self_reported") } == 0)
    }

    @Test("A damaged state is dropped, and the device is counted anew")
    func damagedState() async throws {
        let walk = Walk()
        var run = CountingRun()
        run.count(walk.records(seconds: 0..<20))
        run.damage(device, at: 100)
        run.restart()
        run.count(walk.records(seconds: 20..<40))
        #expect(run.pipeline.tally.damagedStates == 1)
        let store = try CounterStore(directory: folder.path)
        try await store.commit(commit(1), nowMicroseconds: 1)
        try await store.dropState(of: device)
        #expect(try await store.stored(device)?.state == nil)
    }
}
