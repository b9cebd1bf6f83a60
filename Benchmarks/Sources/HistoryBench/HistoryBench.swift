import ArgumentParser
import Lab
import Foundation
import History
import PrivatePostgres
import Wire

/// How fast history's stores take rows, how large they get, and how soon a month of days is answered over the bus.
///
/// Everything is drawn from a seed. The numbers are those of the machine and of what else runs on it; no test asserts
/// any of them.
@main
struct HistoryBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "historybench", abstract: "Measure history's stores: rows a second, bytes, and time to answer.",
        subcommands: [YearsBench.self])

    @OptionGroup var load: LoadOptions

    @Option(help: "sqlite, postgres or both.")
    var store: Choice = .both

    @Option(help: ArgumentHelp("A PostgreSQL server to use instead of a private one; its database must be empty."))
    var server: String?

    @Flag(help: "The database of --server is as an earlier run has filled it: only ask.")
    var filled = false

    @Option(help: ArgumentHelp("Requests a second.", valueName: "hz"))
    var rate = 500

    @Option(help: ArgumentHelp("For how long to ask.", valueName: "seconds"))
    var seconds = 10

    @Option(help: ArgumentHelp("Minute rows a second that come meanwhile.", valueName: "hz"))
    var meanwhile = 1000

    @Option(
        help: ArgumentHelp("Simulated devices whose frames ingest and counter take meanwhile.", valueName: "devices"))
    var gym = 200

    enum Choice: String, ExpressibleByArgument, CaseIterable {
        case sqlite
        case postgres
        case both
    }

    func validate() throws {
        guard !filled || server != nil && store == .postgres else {
            throw ValidationError("--filled needs --store postgres and --server")
        }
        guard rate > 0, seconds > 0, meanwhile >= 0, gym >= 0 else {
            throw ValidationError("--rate and --seconds must be above 0, and --meanwhile and --gym not below")
        }
    }

    func run() async throws {
        if store != .postgres {
            let folder = FileManager.default.temporaryDirectory.appending(path: "historybench-\(UUID().uuidString)")
            let path = folder.path(percentEncoded: false)
            defer { try? FileManager.default.removeItem(atPath: path) }
            let sqlite = try HistoryStore.sqlite(directory: path)
            try await measure(sqlite, "SQLite, synchronous=full") {
                try fileBytes(sqlite.database.name)
            } fill: {
                try await $0.make(inFile: sqlite.database.name)
            }
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
        let postgres = try await HistoryStore.postgres(address)
        let pool = PostgresPool(
            address, applicationName: "historybench", limits: PostgresLimits(statementSeconds: 3600))
        try await measure(postgres, "PostgreSQL, synchronous_commit=on, fsync=on") {
            try await pool.statements { session in
                var row = try session.query("SELECT pg_database_size(current_database())").first
                return Int(clamping: try row?.int() ?? 0)
            }
        } fill: {
            try await $0.make(on: pool)
        }
        await pool.close()
        await own?.stop()
    }

    private func measure(
        _ store: HistoryStore, _ name: String, bytes: () async throws -> Int,
        fill: (TableFill) async throws -> LoadOptions.Taken
    ) async throws {
        Output.line("\(name); load of the machine \(loadAverage)")
        if !filled { try await self.fill(store, bytes: bytes, with: fill) }
        let asking = BusAsking(load: load, rateHz: rate, seconds: seconds, meanwhileHz: meanwhile, gymDevices: gym)
        for line in try await asking.run(on: store) { Output.line("  \(line)") }
        Output.line("  load of the machine \(loadAverage)")
    }

    private func fill(
        _ store: HistoryStore, bytes: () async throws -> Int, with fill: (TableFill) async throws -> LoadOptions.Taken
    ) async throws {
        Output.line(try await load.keepLive(in: store).line("minute rows, each of another device than the one before"))
        let before = try await bytes()
        let minutes = try await load.keepMinutes(in: store)
        Output.line(minutes.line("minute rows of \(load.minuteDevices) devices in the order of time"))
        Output.line("  \(max(0, try await bytes() - before) / max(1, minutes.rows)) bytes a minute row")
        if load.minutesADay > load.committedMinutesADay {
            Output.line(try await fill(.minutes(load)).line("further minute rows made by the database"))
        }
        let withoutDays = try await bytes()
        Output.line(try await fill(.days(load)).line("days made by the database"))
        Output.line(
            "  \(max(0, try await bytes() - withoutDays) / (load.devices * load.years)) bytes a device-year of days")
    }

    /// How many programs wanted to run in the last minute: what the numbers must be read beside.
    private var loadAverage: String {
        let text = try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)
        return text?.split(separator: " ").first.map(String.init) ?? "unknown"
    }

    private func fileBytes(_ path: String) throws -> Int {
        try ["", "-wal"].reduce(0) { sum, suffix in
            guard FileManager.default.fileExists(atPath: path + suffix) else { return sum }
            let attributes = try FileManager.default.attributesOfItem(atPath: path + suffix)
            return sum + ((attributes[.size] as? Int) ?? 0)
        }
    }
}
