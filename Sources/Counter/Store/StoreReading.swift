import Foundation
import GRDB
package import Wire

package struct StoredDevice: Sendable, Equatable {
    package var device: DeviceID
    package var state: [UInt8]?
    package var config: [UInt8]?
    /// The last record of the log that the state follows from.
    package var position: UInt64
}

extension CounterStore {
    package func marks() async throws(CounterError) -> LogMarks { try await read { db in try Self.marks(db) } }

    static func marks(_ db: Database) throws -> LogMarks {
        LogMarks(
            states: UInt64(bitPattern: try meta("states_position", db)),
            counted: UInt64(bitPattern: try meta("counted_position", db)),
            rows: UInt64(bitPattern: try meta("rows_position", db)))
    }

    /// The next devices that have a state or a config, in the order of their names.
    package func devices(after device: DeviceID?, atMost limit: Int) async throws(CounterError) -> [StoredDevice] {
        try await read { db in
            try Row.fetchAll(
                db.cachedStatement(sql: CounterSchema.devicesAfter), arguments: [device?.description ?? "", limit]
            ).compactMap { row in
                guard let device = try? DeviceID(row[0] as String) else { return nil }
                let (state, config, position): (Data?, Data?, Int64?) = (row[1], row[2], row[3])
                return StoredDevice(
                    device: device, state: state.map { Array($0) }, config: config.map { Array($0) },
                    position: UInt64(bitPattern: position ?? 0))
            }
        }
    }

    /// Lets go of a state that cannot be read.
    package func dropState(of device: DeviceID) async throws(CounterError) {
        try await write { try $0.execute(sql: "DELETE FROM devices WHERE id = ?", arguments: [device.description]) }
    }
}

extension CounterStore {
    /// The last revision that the broker took for history.
    package func published() async throws(CounterError) -> UInt64 {
        try await read { UInt64(bitPattern: try Self.meta("published", $0)) }
    }

    /// Notes through which revision history has the rows: forwards after the broker took them, or backwards where rows
    /// are asked for again.
    package func setPublished(_ revision: UInt64) async throws(CounterError) {
        try await write { try Self.setMeta("published", Int64(bitPattern: revision), $0) }
    }

    /// Notes through which revision history has the rows by its own word, which minutes wait for before they are pruned:
    /// the broker may lose what it took.
    package func setConfirmed(_ revision: UInt64) async throws(CounterError) {
        try await write { try Self.setMeta("confirmed", Int64(bitPattern: revision), $0) }
    }

    /// The next rows after a revision, as one message; `nil` when there are none.
    package func counts(
        after revision: UInt64, atMost limit: Int = CountsBatch.maximumRows
    ) async throws(CounterError) -> CountsBatch? {
        let epoch = epoch
        return try await read { db in
            let arguments: StatementArguments = [Int64(clamping: revision), limit]
            let counted = try Row.fetchAll(db.cachedStatement(sql: CounterSchema.rowsAfter), arguments: arguments)
                .compactMap { MinuteRow(row: $0) }
            let words = try Row.fetchAll(db.cachedStatement(sql: CounterSchema.wordsAfter), arguments: arguments)
                .compactMap { WordRow(row: $0, epoch: epoch) }
            let revisions = (counted.map(\.revision) + words.map(\.revision)).sorted().prefix(limit)
            guard let last = revisions.last else { return nil }
            return CountsBatch(
                epoch: epoch, previousRevision: revision, lastRevision: last,
                rows: counted.filter { $0.revision <= last }, words: words.filter { $0.revision <= last })
        }
    }

    /// The most minutes, and the most words, that one call of `prune` deletes: counting waits for it.
    package static var maximumPruned: Int { 2_000 }

    /// Deletes minutes before a time that history has confirmed, the oldest first, and words that ended before it.
    ///
    /// - Returns: the number of deleted minutes or words, of which there are more; `maximumPruned` where there may be more.
    package func prune(beforeMinute minute: Int64) async throws(CounterError) -> Int {
        try await write { db in
            // First of all: a minute of which the row is gone must not begin again as if it had never been.
            if try minute > Self.meta("pruned_before", db) { try Self.setMeta("pruned_before", minute, db) }
            let old = try Row.fetchAll(
                db,
                sql: """
                    SELECT device, minute FROM minutes WHERE minute < ?
                        AND revision <= (SELECT value FROM meta WHERE name = 'published')
                        AND revision <= (SELECT value FROM meta WHERE name = 'confirmed') ORDER BY minute LIMIT ?
                    """, arguments: [minute, Self.maximumPruned])
            for table in ["minutes", "self_reported", "recorded"] {
                let deletion = try db.cachedStatement(sql: "DELETE FROM \(table) WHERE device = ? AND minute = ?")
                for row in old { try deletion.execute(arguments: [row[0] as String, row[1] as Int64]) }
            }
            try db.execute(
                sql: """
                    DELETE FROM words WHERE revision IN (SELECT revision FROM words WHERE end <= ?
                        AND revision <= (SELECT value FROM meta WHERE name = 'published')
                        AND revision <= (SELECT value FROM meta WHERE name = 'confirmed') LIMIT ?)
                    """,
                arguments: [Self.microseconds(ofMinute: minute), Self.maximumPruned])
            return max(old.count, db.changesCount)
        }
    }

    package func lastRevision() async throws(CounterError) -> UInt64 {
        try await read { UInt64(bitPattern: try Self.meta("revision", $0)) }
    }
}

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

    /// Without what lies in erased minutes of its device: nothing is counted for them again.
    static func remembered<Row>(
        _ rows: [Row], _ outcomes: inout [DeviceID: StoringOutcome], _ db: Database,
        _ place: (Row) -> (device: DeviceID, minutes: Range<Int64>)
    ) throws -> [Row] {
        let isAny = try Bool.fetchOne(db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM forgotten)"))
        guard isAny == true else { return rows }
        let statement = try db.cachedStatement(
            sql: """
                SELECT EXISTS (SELECT 1 FROM forgotten WHERE device = ? AND from_minute <= ? AND to_minute >= ?)
                """)
        return try rows.filter { row in
            let (device, minutes) = place(row)
            let isForgotten = try Bool.fetchOne(
                statement, arguments: [device.description, minutes.lowerBound, minutes.upperBound])
            if isForgotten == true { outcomes[device, default: StoringOutcome(device: device)].forgotten += 1 }
            return isForgotten != true
        }
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
