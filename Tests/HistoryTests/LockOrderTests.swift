import Synchronization
import TestBroker
import Testing
import Wire

@testable import History

@Suite("In which order rows are locked", .timeLimit(.minutes(5)))
struct LockOrderTests {
    private static let minute: Int64 = 1_795_195_800 / 60
    private let devices: [DeviceID] = ["bike-07", "anna", "watch-3"]

    @Test("Whatever changes what is kept takes the lock of who comes and goes first, and then rows in one order")
    func order() async throws {
        let database = WatchedDatabase(try HistoryStore.inMemory().database)
        let store = HistoryStore(database, defaultZone: try DayCalendar(zone: "UTC"))
        for person in ["Zoe", "Anna"] {
            for device in devices {
                let minutes = Self.minute - (person == "Zoe" ? 60 : 30)..<Assignment.forGood
                #expect(try await store.assign(Assignment(person: person, device: device, minutes: minutes)) == nil)
            }
        }
        // Known devices of people of whom nothing was counted before.
        for minute in [Self.minute - 50, Self.minute - 20] {
            var rows: [MinuteRow] = []
            for device in devices {
                var row = MinuteRow(device: device, minute: minute, epoch: 7, revision: UInt64(minute))
                row.steps = 90
                rows.append(row)
            }
            _ = try await store.commit(HistoryChanges(rows: rows), nowSeconds: Self.minute * 60)
        }
        let word = try #require(
            StepWord(
                start: (Self.minute - 90) * 60_000_000, end: Self.minute * 60_000_000, microSteps: 900 * StepWord.micro)
        )
        _ = try await store.commit(
            HistoryChanges(words: [WordRow(device: devices[0], word: word, epoch: 7, revision: 9)]),
            nowSeconds: Self.minute * 60)
        _ = try await store.settleClaims(nowSeconds: Self.minute * 60)
        for (verb, json) in [
            (.peopleCheckin, #"{"device":"bike-07","person":"Ben","from":1795193000}"#),
            (.peopleForget, #"{"person":"Anna"}"#), (.devicesForget, #"{"device":"watch-3"}"#),
        ] as [(RequestVerb, String)] {
            let request = try HistoryRequest(verb: verb, json: Array(json.utf8))
            _ = await HistoryAnswers(store: store).reply(to: request, nowSeconds: Double(Self.minute) * 60)
        }
        let transactions = database.transactions
        #expect(transactions.count { $0.first == .newcomers } > 6)
        for locks in transactions {
            #expect(!locks.dropFirst().contains(.newcomers) || locks.first == .newcomers, "\(locks)")
            let rows = locks.compactMap { lock -> Subject? in if case .row(let subject) = lock { subject } else { nil }
            }
            let firsts = rows.indices.filter { rows.firstIndex(of: rows[$0]) == $0 }.map { rows[$0] }
            #expect(firsts == firsts.sorted(), "\(firsts)")
        }
    }
}

/// A database that notes what each of its transactions locks.
private final class WatchedDatabase: SQLDatabase {
    enum Lock: Equatable {
        case newcomers
        case row(Subject)
    }

    private let database: any SQLDatabase
    private let noted = Mutex<[[Lock]]>([])

    init(_ database: any SQLDatabase) { self.database = database }

    /// The locks of each transaction, in their order.
    var transactions: [[Lock]] { noted.withLock(\.self) }
    var name: String { database.name }

    func note(_ lock: Lock) { noted.withLock { $0[$0.count - 1].append(lock) } }

    func write<Result: Sendable>(
        _ work: @Sendable @escaping (any SQLSession) throws -> Result
    ) async throws(HistoryError) -> Result {
        try await database.write { session in
            self.noted.withLock { $0.append([]) }
            return try work(WatchedSession(session: session, database: self))
        }
    }

    func read<Result: Sendable>(
        isSnapshot: Bool, _ work: @Sendable @escaping (any SQLSession) throws -> Result
    ) async throws(HistoryError) -> Result {
        try await database.read(isSnapshot: isSnapshot, work)
    }

    func makeRoom(forMonths months: Set<LocalDate>) async throws(HistoryError) {}
    func dropEmptyMonths(before minute: Int64) async throws(HistoryError) -> Int { 0 }
    func close() async { await database.close() }
}

private struct WatchedSession: SQLSession {
    let session: any SQLSession
    let database: WatchedDatabase

    /// SQLite locks no rows: here it is what a row is known by that another database would lock.
    private static let mark = " -- locked"
    var forUpdate: String { Self.mark }

    func execute(_ statements: [SQLStatement]) throws -> [SQLResult] {
        let results = try session.execute(statements)
        for (statement, result) in zip(statements, results) where statement.sql.hasSuffix(Self.mark) {
            if let row = result.rows.first, let record = try SubjectRecord.read(row)?.record {
                database.note(.row(record.subject))
            }
        }
        return results
    }

    func lock(_ lock: SQLLock) throws { if lock == .newcomers { database.note(.newcomers) } }
    func run(script: String) throws { try session.run(script: script) }

    func find(_ columns: String, in table: SQLTable, _ keys: [[Int64]]) throws -> [SQLRow?] {
        try session.find(columns, in: table, keys)
    }

    func upsert(_ rows: [[SQLValue]], into table: SQLTable) throws { try session.upsert(rows, into: table) }

    func sums(of rows: SummedRows, of subject: Int64, in ranges: [Range<Int64>]) throws -> [SummedUp] {
        try session.sums(of: rows, of: subject, in: ranges)
    }
}
