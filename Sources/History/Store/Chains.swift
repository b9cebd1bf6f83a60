/// The position in the message chain of one epoch of a counter's store up to which history has everything.
package struct ChainCursor: Sendable, Hashable {
    /// The life of the counter's store.
    package var epoch: UInt64
    /// The last revision before which nothing is missing.
    package var revision: UInt64
    /// The time of the last message of the epoch, in seconds since 1970.
    package var lastMessageSeconds: Int64

    package init(epoch: UInt64, revision: UInt64, lastMessageSeconds: Int64) {
        self.epoch = epoch
        self.revision = revision
        self.lastMessageSeconds = lastMessageSeconds
    }
}

extension HistoryStore {
    /// The position of each counter's chain up to which no message is missing.
    package func cursors() async throws(HistoryError) -> [ChainCursor] {
        try await database.read(isSnapshot: false) { session in
            try session.query("SELECT epoch, revision, heard_s FROM chains").read { row in
                ChainCursor(
                    epoch: UInt64(bitPattern: try row.int()), revision: UInt64(clamping: try row.int()),
                    lastMessageSeconds: try row.int())
            }
        }
    }
}

extension StoreCommit {
    /// A chain's position never goes back.
    func write(_ cursors: [ChainCursor]) throws {
        _ = try session.execute(
            cursors.sorted { $0.epoch < $1.epoch }.map { cursor in
                SQLStatement(
                    """
                    INSERT INTO chains (epoch, revision, heard_s) VALUES ($1, $2, $3) ON CONFLICT (epoch) DO UPDATE SET
                    revision = CASE WHEN excluded.revision > chains.revision THEN excluded.revision
                        ELSE chains.revision END,
                    heard_s = CASE WHEN excluded.heard_s > chains.heard_s THEN excluded.heard_s ELSE chains.heard_s END
                    """,
                    [
                        .int(Int64(bitPattern: cursor.epoch)), .int(Int64(clamping: cursor.revision)),
                        .int(cursor.lastMessageSeconds),
                    ])
            })
    }
}
