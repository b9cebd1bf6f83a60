import Synchronization
import Wire

/// A database that counts the rows that are read from it, for the cost of one answer.
final class MeasuredDatabase: SQLDatabase {
    private let database: any SQLDatabase
    private let count = Atomic<UInt64>(0)

    init(_ database: any SQLDatabase) { self.database = database }

    /// The rows that were read so far, those that sums were made of among them.
    var rowCount: UInt64 { count.load(ordering: .relaxed) }

    var name: String { database.name }
    var lostConnections: UInt64 { database.lostConnections }

    func write<Result: Sendable>(
        _ work: @Sendable @escaping (any SQLSession) throws -> Result
    ) async throws(HistoryError) -> Result {
        try await database.write { session in try work(MeasuredSession(session: session, database: self)) }
    }

    func read<Result: Sendable>(
        isSnapshot: Bool, _ work: @Sendable @escaping (any SQLSession) throws -> Result
    ) async throws(HistoryError) -> Result {
        try await database.read(isSnapshot: isSnapshot) { session in
            try work(MeasuredSession(session: session, database: self))
        }
    }

    func makeRoom(forMonths months: Set<LocalDate>) async throws(HistoryError) {
        try await database.makeRoom(forMonths: months)
    }

    func dropEmptyMonths(before minute: Int64) async throws(HistoryError) -> Int {
        try await database.dropEmptyMonths(before: minute)
    }

    func close() async { await database.close() }

    fileprivate func note(_ rows: some Sequence<Int64>) {
        let sum = rows.reduce(0) { $0 &+ UInt64(clamping: $1) }
        count.wrappingAdd(sum, ordering: .relaxed)
    }
}

private struct MeasuredSession: SQLSession {
    let session: any SQLSession
    let database: MeasuredDatabase

    var forUpdate: String { session.forUpdate }

    func execute(_ statements: [SQLStatement]) throws -> [SQLResult] {
        let results = try session.execute(statements)
        database.note(results.lazy.map { Int64($0.rows.count) })
        return results
    }

    func run(script: String) throws { try session.run(script: script) }
    func lock(_ lock: SQLLock) throws { try session.lock(lock) }

    func find(_ columns: String, in table: SQLTable, _ keys: [[Int64]]) throws -> [SQLRow?] {
        let rows = try session.find(columns, in: table, keys)
        database.note(CollectionOfOne(Int64(rows.count { $0 != nil })))
        return rows
    }

    func upsert(_ rows: [[SQLValue]], into table: SQLTable) throws { try session.upsert(rows, into: table) }

    func minutes(of subject: Int64, in range: Range<Int64>, limit: Int) throws -> [MinuteRecord] {
        let minutes = try session.minutes(of: subject, in: range, limit: limit)
        database.note(CollectionOfOne(Int64(minutes.count)))
        return minutes
    }

    func sums(of rows: SummedRows, of subject: Int64, in ranges: [Range<Int64>]) throws -> [SummedUp] {
        let sums = try session.sums(of: rows, of: subject, in: ranges)
        database.note(sums.lazy.map(\.rowCount))
        return sums
    }
}
