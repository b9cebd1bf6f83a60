import GRDB
package import Wire

extension CounterStore {
    /// The most stretches of time of one device that are remembered as forgotten; beyond that the oldest is let go.
    static let maximumForgottenRanges = 100

    /// Forgets what was counted, in one transaction. Its rows are emptied and become due to history once more, so that
    /// the last row that history gets of them is empty; what comes late for the same minutes is not counted.
    ///
    /// - Parameter marks: the positions in the log up to which everything is counted then.
    package func forget(_ order: CountsForget, _ marks: LogMarks? = nil) async throws(CounterError) {
        try await write { db in
            if let marks { try Self.store(marks, db) }
            let id = order.device.description
            let hadState = order.isWhole ? try Self.deleteState(id, db) : false
            guard try Self.knows(id, db) || hadState else { return }
            try Self.remember(order, db)
            try Self.empty(order, db)
        }
    }

    /// The erased minutes of a device: nothing is counted for them again.
    static func forgotten(_ device: DeviceID, _ db: Database) throws -> [Range<Int64>] {
        let statement = try db.cachedStatement(sql: "SELECT from_minute, to_minute FROM forgotten WHERE device = ?")
        return try Row.fetchAll(statement, arguments: [device.description]).map { row in
            let (first, end): (Int64, Int64) = (row[0], row[1])
            return first..<max(first, end)
        }
    }

    /// Whether any device has such minutes.
    static func hasForgotten(_ db: Database) throws -> Bool {
        try Bool.fetchOne(db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM forgotten)")) ?? false
    }

    private static func deleteState(_ id: String, _ db: Database) throws -> Bool {
        try db.execute(sql: "DELETE FROM devices WHERE id = ?", arguments: [id])
        return db.changesCount > 0
    }

    /// An unknown device leaves no row in `forgotten`: otherwise requests could fill the table with names.
    private static func knows(_ id: String, _ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db,
            sql: """
                SELECT EXISTS (SELECT 1 FROM devices WHERE id = ?1) OR EXISTS (SELECT 1 FROM minutes WHERE device = ?1)
                OR EXISTS (SELECT 1 FROM words WHERE device = ?1) OR EXISTS (SELECT 1 FROM forgotten WHERE device = ?1)
                """, arguments: [id]) ?? false
    }

    private static func remember(_ order: CountsForget, _ db: Database) throws {
        let arguments: StatementArguments = [
            order.device.description, order.minutes.lowerBound, order.minutes.upperBound,
        ]
        try db.execute(
            sql: "DELETE FROM forgotten WHERE device = ? AND from_minute >= ? AND to_minute <= ?", arguments: arguments)
        try db.execute(sql: "INSERT INTO forgotten VALUES (?, ?, ?)", arguments: arguments)
        try db.execute(
            sql: """
                DELETE FROM forgotten WHERE device = ?1 AND (from_minute, to_minute) NOT IN (SELECT from_minute, to_minute
                    FROM forgotten WHERE device = ?1 ORDER BY to_minute DESC, from_minute LIMIT ?2)
                """, arguments: [order.device.description, maximumForgottenRanges])
    }

    private static func empty(_ order: CountsForget, _ db: Database) throws {
        let id = order.device.description
        let range = order.isWhole ? Int64.min..<Int64.max : order.minutes
        let arguments: StatementArguments = [id, range.lowerBound, range.upperBound]
        for table in ["self_reported", "recorded"] {
            try db.execute(
                sql: "DELETE FROM \(table) WHERE device = ? AND minute >= ? AND minute < ?", arguments: arguments)
        }
        let minutes = try Int64.fetchAll(
            db, sql: "SELECT minute FROM minutes WHERE device = ? AND minute >= ? AND minute < ?", arguments: arguments)
        let statement = try db.cachedStatement(sql: CounterSchema.emptyMinute)
        var revision = try meta("revision", db)
        for minute in minutes {
            revision += 1
            try statement.execute(arguments: [revision, id, minute])
        }
        try setMeta("revision", revision, db)
        try forgetWords(of: id, in: range, db)
    }
}
