import ServiceKit
import History
import TestBroker
import Testing
import Wire

@Suite("Rows that a database refuses for ever")
struct RefusedRowsTests {
    @Test("One that is refused is left out alone, and named; all others are kept", arguments: StoreKind.available)
    func leftOut(kind: StoreKind) async throws {
        let folder = StoreFolder()
        let store = try await folder.store(kind)
        let devices: [DeviceID] = (0..<5).map { "bike-\($0)" }
        _ = try await store.keep(devices.map { row($0, 0) })
        try await refuseThirteen(in: store, kind)
        var changes = HistoryChanges(
            rows: (1..<20).flatMap { minute in devices.map { row($0, minute) } },
            cursors: [ChainCursor(epoch: 1, revision: 77, lastMessageSeconds: 5)])
        changes.rows[41].steps = 13
        let refused = changes.rows[41]
        await #expect(throws: HistoryError.self) { _ = try await store.commit(changes, nowSeconds: 0) }
        #expect(try await store.cursors().isEmpty)
        var said: [String] = []
        let outcome = try await store.commitInParts(changes, nowSeconds: 0) { what, _ in said.append(what) }
        #expect(outcome.appliedRows == 94 && outcome.refusedRows == 1)
        #expect(said == ["minute \(refused.minute) of \(refused.device)"])
        #expect(try await store.cursors().map(\.revision) == [77])
        for device in devices {
            let steps = try #require(try await store.device(device)).counts.steps
            let expected: Int64 = device == refused.device ? 1900 : 2000
            #expect(steps == expected)
        }
    }

    @Test("Where nothing is taken nothing is left out: the batch is tried again")
    func nothingTaken() async throws {
        let folder = StoreFolder()
        let store = try await folder.store(.sqlite)
        let database = ScriptedDatabase(store.database)
        let failing = try database.store()
        let broken = HistoryError.store(.database(path: "p", problem: "broken"))
        database.failWrites([HistoryError](repeating: broken, count: 2))
        let changes = HistoryChanges(rows: [row("bike-0", 0)])
        var said: [String] = []
        await #expect(throws: broken) {
            _ = try await failing.commitInParts(changes, nowSeconds: 0) { what, _ in said.append(what) }
        }
        #expect(said.isEmpty)
        #expect(try await failing.commitInParts(changes, nowSeconds: 0) { _, _ in }.appliedRows == 1)
    }

    private func row(_ device: DeviceID, _ minute: Int64) -> MinuteRow {
        MinuteRow(device, 29_000_000 + minute, revision: UInt64(minute) + 1, steps: 100)
    }

    private func refuseThirteen(in store: HistoryStore, _ kind: StoreKind) async throws {
        try await store.database.write { session in
            switch kind {
            case .sqlite:
                try session.run(
                    script: """
                        CREATE TRIGGER no13 BEFORE INSERT ON minutes WHEN NEW.steps = 13
                        BEGIN SELECT RAISE(ABORT, 'thirteen'); END
                        """)
            case .postgres: try session.run(script: "ALTER TABLE minutes ADD CHECK (steps <> 13)")
            }
        }
    }
}
