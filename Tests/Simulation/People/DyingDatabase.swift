import History
import Synchronization
import Wire

/// History's database, as a process sees it that ends after so many calls: before or after one of its transactions.
final class DyingDatabase: SQLDatabase {
    private let database: any SQLDatabase
    private let callsLeft: Atomic<Int>

    init(_ database: any SQLDatabase, calls: Int) {
        self.database = database
        callsLeft = Atomic(calls)
    }

    /// Whether the process has ended.
    var hasEnded: Bool { callsLeft.load(ordering: .relaxed) < 0 }
    var name: String { database.name }

    private func call() throws(HistoryError) {
        guard callsLeft.subtract(1, ordering: .relaxed).newValue >= 0 else { throw .closed }
    }

    func write<Result: Sendable>(
        _ work: @Sendable @escaping (any SQLSession) throws -> Result
    ) async throws(HistoryError) -> Result {
        try call()
        let result = try await database.write(work)
        try call()
        return result
    }

    func read<Result: Sendable>(
        isSnapshot: Bool, _ work: @Sendable @escaping (any SQLSession) throws -> Result
    ) async throws(HistoryError) -> Result {
        try call()
        return try await database.read(isSnapshot: isSnapshot, work)
    }

    func makeRoom(forMonths months: Set<LocalDate>) async throws(HistoryError) {
        try await database.makeRoom(forMonths: months)
    }

    func dropEmptyMonths(before minute: Int64) async throws(HistoryError) -> Int {
        try await database.dropEmptyMonths(before: minute)
    }

    func close() async { await database.close() }
}
