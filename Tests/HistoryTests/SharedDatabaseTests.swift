import History
import PrivatePostgres
import Seeded
import TestBroker
import Testing
import Wire

@Suite(
    "Several histories on one database", .enabled(if: PrivatePostgres.isInstalled, "\(PrivatePostgres.missing)"),
    .timeLimit(.minutes(5)))
struct SharedDatabaseTests {
    let devices: [DeviceID] = (0..<12).map { "watch-\($0)" }
    let folder = StoreFolder()
    static let start: Int64 = 1_795_194_000 / 60

    @Test(
        "The same rows written by both at once, in any order and split anyhow, are counted once",
        arguments: 1...6 as ClosedRange<UInt64>)
    func atOnce(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let rows = rows(&random)
        let alone = try await folder.store(.sqlite)
        _ = try await alone.keep(rows)
        let stores = [try await folder.store(.postgres), try await folder.store(.postgres, root: "other")]
        let shares = [rows.shuffled(using: &random), rows.shuffled(using: &random), rows.shuffled(using: &random)]
        let sizes = shares.map { _ in Int.random(in: 1...60, using: &random) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, share) in shares.enumerated() {
                group.addTask {
                    for start in stride(from: 0, to: share.count, by: sizes[index]) {
                        _ = try await stores[index % 2].keep(
                            Array(share[start..<min(start + sizes[index], share.count)]))
                    }
                }
            }
            try await group.waitForAll()
        }
        for device in devices { try await compare(device, alone, stores) }
        for store in stores { await store.close() }
    }

    private func compare(_ device: DeviceID, _ alone: HistoryStore, _ stores: [HistoryStore]) async throws {
        let record = try #require(try await alone.device(device))
        let days = try await alone.allDays(of: device)
        let range = Self.start - 9000..<Self.start + 9000
        for store in stores {
            #expect(try await store.device(device)?.counts == record.counts)
            let found = try await store.allDays(of: device)
            #expect(found.map(\.counts) == days.map(\.counts))
            #expect(found.map(\.date) == days.map(\.date))
            let (own, other) = (
                try await alone.minutes(of: device, in: range, limit: .max),
                try await store.minutes(of: device, in: range, limit: .max)
            )
            #expect(own == other)
        }
    }

    @Test("Zones that change and days that become hours meanwhile lose no step")
    func meanwhile() async throws {
        let (first, second) = (try await folder.store(.postgres), try await folder.store(.postgres, root: "other"))
        let device = devices[0]
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for minute in 0..<200 as Range<Int64> { _ = try await first.keep([row(device, minute * 20, 1, 3)]) }
            }
            group.addTask {
                for minute in 0..<200 as Range<Int64> {
                    _ = try await second.keep([row(device, minute * 20 + 7, 2, 4)])
                }
            }
            group.addTask {
                for zone in ["Europe/Berlin", "Asia/Tokyo", "America/Lima", "UTC"] {
                    try await second.setZone(device, zone, nowSeconds: (Self.start + 700) * 60)
                }
            }
            try await group.waitForAll()
        }
        while try await first.compact(device, before: Self.start + 1500) > 0 {}
        let total = try #require(try await second.device(device)).counts.steps
        #expect(total == 200 * 3 + 200 * 4)
        #expect(try await first.allDays(of: device).reduce(0) { $0 + $1.counts.steps } == total)
        let sums = try await second.sums(of: device, in: [0..<Self.start + 720, Self.start + 720..<Self.start * 2])
        #expect(sums.reduce(0) { $0 + $1.counts.steps } == total)
        await first.close()
        await second.close()
    }

    @Test("Several that open a new database at once make its tables once, and one that comes later changes nothing")
    func migrations() async throws {
        let address = try await folder.address()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<5 {
                group.addTask {
                    await (try HistoryStore.postgres(address, root: "gym-\(number)", limits: .few)).close()
                }
            }
            try await group.waitForAll()
        }
        let store = try await folder.store(.postgres)
        _ = try await store.keep([row(devices[0], 0, 1, 5)])
        await store.close()
        let again = try await folder.store(.postgres)
        #expect(try await again.device(devices[0])?.counts.steps == 5)
        await again.close()
    }

    @Test("A second history of the same bus is refused, and let in when the first has ended")
    func sameRoot() async throws {
        let address = try await folder.address()
        let first = try await folder.store(.postgres)
        let refusal = HistoryError.rootInUse(server: address.description, root: "stride")
        await #expect(throws: refusal) { try await folder.store(.postgres) }
        await first.close()
        await (try folder.store(.postgres)).close()
    }

    @Test(
        "A database of another stridebus is refused untouched",
        arguments: ["INSERT INTO stridebus.schema_version VALUES (999)", "DROP TABLE stridebus.schema_version"])
    func otherVersion(change: String) async throws {
        await (try folder.store(.postgres)).close()
        let address = try await folder.address()
        let pool = PostgresPool(address, applicationName: "tests")
        try await pool.statements { try $0.run(script: change) }
        await #expect(throws: HistoryError.otherSchema(path: address.description)) { try await folder.store(.postgres) }
        await pool.close()
    }

    @Test("Two that come to new devices at once keep to the limit exactly")
    func limit() async throws {
        let stores = [
            try await folder.store(.postgres, maximumDevices: 7),
            try await folder.store(.postgres, root: "other", maximumDevices: 7),
        ]
        let refused = try await withThrowingTaskGroup(of: Int.self) { group in
            for store in stores {
                group.addTask {
                    var refused = 0
                    for device in devices { refused += try await store.keep([row(device, 0, 1, 1)]).refusedRows }
                    return refused
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(refused == 2 * 5)
        #expect(try await stores[0].devices(after: nil, limit: 99).count == 7)
        for store in stores { await store.close() }
    }

    private func rows(_ random: inout SeededGenerator) -> [MinuteRow] {
        (1...900 as ClosedRange<UInt64>).map { revision in
            let device = devices[Int.random(in: 0..<devices.count, using: &random)]
            let minute = Int64.random(in: -4000..<4000, using: &random) / 40 * 40
            return row(device, minute, revision, .random(in: 0...200, using: &random))
        }
    }

    private func row(_ device: DeviceID, _ minute: Int64, _ revision: UInt64, _ steps: Int64) -> MinuteRow {
        MinuteRow(device, Self.start + minute, revision: revision, steps: steps)
    }
}
