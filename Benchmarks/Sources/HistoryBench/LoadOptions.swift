import Seeded
import ArgumentParser
import Lab
import History
import Wire

/// What the store is filled with.
struct LoadOptions: ParsableArguments {
    @Option(help: "Devices with days.")
    var devices = 10_000

    @Option(help: "Years of days of each.")
    var years = 10

    @Option(help: "Minutes in which each of them is counted, all at the same time.")
    var liveMinutes = 20

    @Option(help: "Devices with minutes.")
    var minuteDevices = 100

    @Option(help: "Days with minutes of each.")
    var minuteDays = 400

    @Option(help: "Minutes of each such day.")
    var minutesADay = 60

    @Option(help: "How many of these are committed to the store at most; the database makes the others.")
    var committedMinutesADay = 60

    @Option(help: "Rows in a commit.")
    var rowsACommit = 5_000

    @Option(help: "Everything random is drawn from it.")
    var seed: UInt64 = 1

    /// 2026-11-20T17:00:00Z: when everything is kept and asked.
    static let nowSeconds: Int64 = 1_795_194_000
    static let today = nowSeconds / 86_400

    /// The days that the database makes, as numbers of days since 1970.
    var dayNumbers: Range<Int64> { Self.today - Int64(years) * 365..<Self.today }

    /// The minutes of the days with minutes, since 1970.
    var minuteNumbers: Range<Int64> { (Self.today - Int64(minuteDays)) * 1440..<Self.today * 1440 }

    /// Where the minutes of a day begin.
    static let firstMinuteOfDay: Int64 = 480

    func validate() throws {
        guard devices > 0, years > 0, liveMinutes > 0, minuteDevices >= 0, minuteDays >= 0,
            (1...1440).contains(minutesADay), committedMinutesADay > 0, rowsACommit > 0,
            devices + minuteDevices <= 100_000
        else {
            throw ValidationError(
                "give at least a device, a year, 1 to 1440 minutes a day, one of them committed, and a row a commit")
        }
    }

    /// What a part of the load took.
    struct Taken {
        var rows = 0
        var seconds = 0.0

        func line(_ what: String) -> String {
            let rate = seconds > 0 ? Int(Double(rows) / seconds) : 0
            return "  \(rows) \(what) in \((seconds * 10).rounded() / 10) s: \(rate) rows/s"
        }
    }

    /// A device with days.
    func device(_ number: Int) throws -> DeviceID { try DeviceID("device-\(number)") }

    /// A row for every device each minute, as they come when all are in use: each row is of another device than the one
    /// before.
    func keepLive(in store: HistoryStore) async throws -> Taken {
        var random = SeededGenerator(seed: seed)
        let names = try (0..<devices).map { try device($0) }
        var keeper = Keeper(store: store, rowsACommit: rowsACommit)
        for minute in 0..<Int64(liveMinutes) {
            for name in names { try await keeper.keep(name, Self.today * 1440 + minute, &random) }
        }
        return try await keeper.finish()
    }

    /// Minutes in a row of each day of some other devices, as they come after a while without history.
    func keepMinutes(in store: HistoryStore) async throws -> Taken {
        var random = SeededGenerator(seed: seed &+ 1)
        let names = try (0..<minuteDevices).map { try DeviceID("minutes-\($0)") }
        var keeper = Keeper(store: store, rowsACommit: rowsACommit)
        for day in 0..<Int64(minuteDays) {
            let first = minuteNumbers.lowerBound + day * 1440 + Self.firstMinuteOfDay
            for minute in 0..<Int64(min(minutesADay, committedMinutesADay)) {
                for name in names { try await keeper.keep(name, first + minute, &random) }
            }
        }
        return try await keeper.finish()
    }
}

/// Commits rows by the batch and takes the time of the commits only.
private struct Keeper {
    let store: HistoryStore
    let rowsACommit: Int
    private var changes = HistoryChanges()
    private var revision: UInt64 = 0
    private var taken = LoadOptions.Taken()

    init(store: HistoryStore, rowsACommit: Int) {
        self.store = store
        self.rowsACommit = rowsACommit
    }

    mutating func keep(_ device: DeviceID, _ minute: Int64, _ random: inout SeededGenerator) async throws {
        revision += 1
        changes.rows.append(.drawn(device, minute, revision: revision, &random))
        if changes.rows.count == rowsACommit { try await commit() }
    }

    mutating func finish() async throws -> LoadOptions.Taken {
        if !changes.isEmpty { try await commit() }
        return taken
    }

    private mutating func commit() async throws {
        let start = ContinuousClock.now
        taken.rows += try await store.commit(changes, nowSeconds: LoadOptions.nowSeconds).appliedRows
        taken.seconds += start.duration(to: .now) / .seconds(1)
        changes = HistoryChanges()
    }
}

extension MinuteRow {
    /// A minute of a walk.
    static func drawn(_ device: DeviceID, _ minute: Int64, revision: UInt64, _ random: inout SeededGenerator)
        -> MinuteRow
    {
        var row = MinuteRow(device: device, minute: minute, epoch: 1, revision: revision)
        row.steps = Int64(random.next() % 140)
        row.distanceMillimetres = row.steps * 750
        row.activeMilliseconds = Int64(random.next() % 60_000)
        row.coveredMilliseconds = 60_000
        row.cadence = RateSum(integral: Double(row.steps) * 60, seconds: 60, minimum: 80, maximum: 130)
        row.counts[.walking] = row.activeMilliseconds
        return row
    }
}
