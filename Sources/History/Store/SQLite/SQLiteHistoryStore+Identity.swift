import GRDB

extension SQLiteHistoryStore {
    /// The number that the file was given when it was made, or when it became one that has a number.
    public func identity() async throws(HistoryError) -> UInt64 {
        let bits = try await read { db in try Int64.fetchOne(db, sql: "SELECT identity FROM state") }
        guard let bits else { throw .damaged(path: path, problem: "it has no identity") }
        return UInt64(bitPattern: bits)
    }
}
