import ArgumentParser
import Console
import Foundation
import History
import Postgres
import PrivatePostgres
import Wire

/// How fast history's stores take rows, how large they get, and how soon a month of days is answered over the bus.
///
/// Everything is drawn from a seed. The numbers are those of the machine and of what else runs on it; no test asserts
/// any of them.
@main
struct HistoryBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "historybench", abstract: "Measure history's stores: rows a second, bytes, and time to answer.")

    @OptionGroup var load: LoadOptions

    @Option(help: "sqlite, postgres or both.")
    var store: Choice = .both

    @Option(help: ArgumentHelp("A PostgreSQL server to use instead of a private one; its database must be empty."))
    var server: String?

    @Option(help: ArgumentHelp("Requests a second.", valueName: "hz"))
    var rate = 500

    @Option(help: ArgumentHelp("For how long to ask.", valueName: "seconds"))
    var seconds = 10

    @Option(help: ArgumentHelp("Minute rows a second that come meanwhile.", valueName: "hz"))
    var meanwhile = 1000

    enum Choice: String, ExpressibleByArgument, CaseIterable {
        case sqlite
        case postgres
        case both
    }

    func validate() throws {
        guard rate > 0, seconds > 0, meanwhile >= 0 else {
            throw ValidationError("--rate and --seconds must be above 0, and --meanwhile not below")
        }
    }

    func run() async throws {
        if store != .postgres {
            let folder = FileManager.default.temporaryDirectory.appending(path: "historybench-\(UUID().uuidString)")
            let path = folder.path(percentEncoded: false)
            defer { try? FileManager.default.removeItem(atPath: path) }
            let sqlite = try SQLiteHistoryStore(directory: path, nowSeconds: LoadOptions.nowSeconds)
            try await measure(sqlite, "SQLite, synchronous=full") { try fileBytes(sqlite.path) }
        }
        if store != .sqlite { try await measurePostgres() }
    }

    private func measurePostgres() async throws {
        let own = server == nil ? try await PrivatePostgres(isDurable: true) : nil
        let address: PostgresAddress
        if let server {
            address = try PostgresAddress(server)
        } else if let own {
            address = try await own.database()
        } else {
            return
        }
        let postgres = try await PostgresHistoryStore.open(address)
        let pool = PostgresPool(address, applicationName: "historybench")
        try await measure(postgres, "PostgreSQL, synchronous_commit=on, fsync=on") {
            try await pool.statements { session in
                Int(clamping: try session.query("SELECT pg_database_size(current_database())").first?.int(0) ?? 0)
            }
        }
        await pool.close()
        await own?.stop()
    }

    private func measure<Store: HistoryStore>(
        _ store: Store, _ name: String, bytes: () async throws -> Int
    ) async throws {
        Output.line("\(name)")
        let empty = try await bytes()
        let days = try await load.keepDays(in: store)
        let afterDays = try await bytes()
        Output.line(days.line("rows, each of a new day"))
        let years = max(1, load.devices * load.days / 365)
        Output.line("  \((afterDays - empty) / years) bytes a device-year of days with one minute row each")
        let minutes = try await load.keepMinutes(in: store)
        Output.line(minutes.line("minute rows of full days"))
        Output.line("  \(max(0, try await bytes() - afterDays) / max(1, minutes.rows)) bytes a minute row")
        let asking = BusAsking(load: load, rateHz: rate, seconds: seconds, meanwhileHz: meanwhile)
        for line in try await asking.run(on: store) { Output.line("  \(line)") }
    }

    private func fileBytes(_ path: String) throws -> Int {
        try ["", "-wal"].reduce(0) { sum, suffix in
            guard FileManager.default.fileExists(atPath: path + suffix) else { return sum }
            let attributes = try FileManager.default.attributesOfItem(atPath: path + suffix)
            return sum + ((attributes[.size] as? Int) ?? 0)
        }
    }
}
