import ServiceKit
import History
import PrivatePostgres
import TestBroker
import Testing
import Wire

@Suite(
    "Several histories on one database", .enabled(if: PrivatePostgres.isInstalled, "\(PrivatePostgres.missing)"),
    .timeLimit(.minutes(5)))
struct SharedDatabaseTests {
    let device: DeviceID = "watch-1"
    let folder = StoreFolder()

    @Test("A second history of a database is refused, and let in when the first has ended, with all that is kept")
    func second() async throws {
        let address = try await folder.address()
        let first = try await folder.store(.postgres)
        _ = try await first.keep([MinuteRow(device, 1_795_194_000 / 60, steps: 5)])
        await #expect(throws: HistoryError.store(.alreadyInUse(path: address.description))) {
            try await HistoryStore.postgres(address, limits: .few)
        }
        await first.close()
        let second = try await folder.store(.postgres)
        #expect(try await second.device(device)?.counts.steps == 5)
        await second.close()
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
    }
}
