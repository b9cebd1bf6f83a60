extension PostgresHistoryStore {
    /// The number that the tables were given when they were made.
    public func identity() async throws(HistoryError) -> UInt64 {
        let bits = try await read { try $0.query("SELECT number FROM identity").first?.int(0) }
        guard let bits else { throw .damaged(path: server, problem: "it has no identity") }
        return UInt64(bitPattern: bits)
    }
}
