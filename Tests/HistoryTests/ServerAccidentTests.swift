import PrivatePostgres
import TestBroker
import Testing
import Watched
import Wire

@testable import History

@Suite(
    "Accidents of the database server", .enabled(if: PrivatePostgres.isInstalled, "\(PrivatePostgres.missing)"),
    .timeLimit(.minutes(5)))
struct ServerAccidentTests {
    let devices: [DeviceID] = (0..<40).map { "watch-\($0)" }
    static let start: Int64 = 1_795_194_000 / 60

    @Test(
        "A server killed in the middle of commits has all of each commit or nothing of it, and every one that returned")
    func killed() async throws {
        let server = try await PrivatePostgres()
        let address = try await server.database()
        let store = try await HistoryStore.postgres(address, limits: .few)
        var revision: UInt64 = 0
        for round in 1...4 {
            let kept = Watched(revision)
            let writing = Task { [revision] in
                // Until the server is gone.
                for next in revision + 1..<revision + 100_000 {
                    _ = try await store.keep(batch(next))
                    kept.change { $0 = next }
                }
            }
            await kept.wait { $0 >= revision + UInt64(round * 7) }
            await server.kill()
            await #expect(throws: HistoryError.self) { try await writing.value }
            try await server.restart()
            let steps = try await steps(in: store)
            revision = kept.now
            #expect(Set(steps).count == 1)
            #expect(steps.allSatisfy { $0 == revision || $0 == revision + 1 })
            // What may or may not be there is sent again.
            revision += 1
            _ = try await store.keep(batch(revision))
            #expect(try await Set(self.steps(in: store)) == [revision])
        }
        let day = try await store.allDays(of: devices[3])
        #expect(day.map(\.counts.steps) == [Int64(revision)])
        await store.close()
        await server.stop()
    }

    @Test("A server that cannot be reached at the start is one line, without the password")
    func absent() async throws {
        let address = try PostgresAddress("postgresql://me:secret@127.0.0.1:1/gym")
        let error = await #expect(throws: HistoryError.self) { try await HistoryStore.postgres(address) }
        let words = try #require(error).description
        #expect(words.contains("me@127.0.0.1:1/gym") && words.contains("cannot be reached"))
        #expect(!words.contains("secret") && !words.contains("\n"))
    }

    @Test("Texts that the server cannot keep as they are harm nobody")
    func texts() async throws {
        let store = try await StoreFolder().store(.postgres)
        let settings = DeviceSettings(kind: "wear\0able", placement: "wr\0ist", zone: nil, person: "An\0na")
        try await store.set(devices[0], settings, nowSeconds: Self.start * 60)
        #expect(try await store.assignments(of: "An\0na").map(\.device) == [devices[0]])
    }

    /// One commit: every device has as many steps as the revision says.
    private func batch(_ revision: UInt64) -> [MinuteRow] {
        devices.map { MinuteRow($0, Self.start, revision: revision, steps: Int64(clamping: revision)) }
    }

    private func steps(in store: HistoryStore) async throws -> [UInt64] {
        var steps: [UInt64] = []
        for device in devices {
            let record = try #require(try await store.device(device))
            let sums = try await store.sums(of: device, in: [Self.start..<Self.start + 1])
            #expect(sums.map(\.counts) == [record.counts])
            steps.append(UInt64(clamping: record.counts.steps))
        }
        return steps
    }
}
