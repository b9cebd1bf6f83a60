import Foundation
import GRDB
package import Wire

/// A partition that the store does not own any more, and that its heir has not yet.
package struct LeavingPartition: Sendable, Hashable {
    package var partition: Partition
    /// The name of the counter that gets it.
    package var heir: DeviceID
    /// The move, an id of its own.
    package var move: String
}

/// A part of what a counter hands over with a partition: rows of its tables.
package struct HandoverPart: Sendable, Hashable {
    package var partition: Partition
    package var move: String
    /// The try that the part belongs to: parts of different tries do not fit together.
    package var attempt: String
    /// The number of the part in its try, from 0.
    package var number: Int
    package var isLast: Bool
    /// The newest revision of the store that hands over.
    package var revision: UInt64
    package var rows: [UInt8]
}

/// The partitions of a store: which it owns, what it hands over with one, and what it takes over.
///
/// A store owns a partition from the transaction in which it takes the rows over until the one in which it lets go. In
/// between nobody does, and the broker keeps what comes. Rows of minutes go along with their epoch, so that they stay the
/// same rows to history; here they get negative revisions, because history has them or gets them from the store that
/// made them. What changes afterwards has a revision above those of both stores.
extension CounterStore {
    /// The tables for it; a program without partitions that move leaves them alone.
    static let partitionTables = """
        CREATE TABLE IF NOT EXISTS owned (partition INTEGER PRIMARY KEY);
        CREATE TABLE IF NOT EXISTS leaving (partition INTEGER PRIMARY KEY, heir TEXT NOT NULL, move TEXT NOT NULL);
        CREATE TABLE IF NOT EXISTS taken (partition INTEGER PRIMARY KEY, move TEXT NOT NULL);
        CREATE TABLE IF NOT EXISTS arriving (
            partition INTEGER NOT NULL, move TEXT NOT NULL, attempt TEXT NOT NULL, number INTEGER NOT NULL,
            is_last INTEGER NOT NULL, rows BLOB NOT NULL, PRIMARY KEY (partition, move, attempt, number)
        ) WITHOUT ROWID;
        """
    /// The rows that are handed over in one message are some so many bytes: 64 KiB are portable, as base64.
    static let partBytes = 40_000

    /// The partitions that the store owns, and those that are on their way to others.
    ///
    /// - Parameter first: What it owns where it has never owned any.
    package func partitions(first: PartitionRange) async throws(CounterError) -> (
        owned: PartitionRange, leaving: [LeavingPartition]
    ) {
        try await write { db in
            if try !db.tableExists("owned") {
                try db.execute(sql: Self.partitionTables)
                for partition in first.partitions {
                    try db.execute(sql: "INSERT INTO owned VALUES (?)", arguments: [partition.number])
                }
            }
            let owned = try Int.fetchAll(db, sql: "SELECT partition FROM owned")
            return (PartitionRange(owned.compactMap { try? Partition(number: $0) }), try Self.leaving(db))
        }
    }

    private static func leaving(_ db: Database) throws -> [LeavingPartition] {
        try Row.fetchAll(db, sql: "SELECT partition, heir, move FROM leaving ORDER BY partition").compactMap { row in
            guard let partition = try? Partition(number: row[0]), let heir = try? DeviceID(row[1] as String) else {
                return nil
            }
            return LeavingPartition(partition: partition, heir: heir, move: row[2])
        }
    }

    /// Lets go of a partition. Everything of it must be stored, and nothing more be counted.
    ///
    /// - Returns: The number of devices that go.
    package func release(_ leaving: LeavingPartition) async throws(CounterError) -> Int {
        try await write { db in
            try db.execute(sql: "DELETE FROM owned WHERE partition = ?", arguments: [leaving.partition.number])
            try db.execute(
                sql: "INSERT OR REPLACE INTO leaving VALUES (?, ?, ?)",
                arguments: [leaving.partition.number, leaving.heir.description, leaving.move])
            return try Self.devices(of: leaving.partition, in: "SELECT id FROM devices", db).count
        }
    }

    /// The heir has a partition: its states are dropped, its rows stay as long as history may ask for them.
    package func finish(_ move: String, of partition: Partition) async throws(CounterError) {
        try await write { db in
            let isLeaving = try Self.leaving(db).contains { $0.move == move && $0.partition == partition }
            guard isLeaving else { return }
            try db.execute(sql: "DELETE FROM leaving WHERE partition = ?", arguments: [partition.number])
            for device in try Self.devices(of: partition, in: "SELECT id FROM devices", db) {
                try db.execute(sql: "DELETE FROM devices WHERE id = ?", arguments: [device])
            }
        }
    }

    private static func devices(of partition: Partition, in query: String, _ db: Database) throws -> [String] {
        try String.fetchAll(db, sql: query).filter { text in
            (try? DeviceID(text)).map { Partition(of: $0) == partition } ?? false
        }
    }
}

// MARK: - Handing over

extension CounterStore {
    /// A table that goes along, with the column of the device and what happens to a row that is there already.
    private struct Table {
        let name: String
        let device: String
        let conflict: String

        /// In this order; its places are the numbers in a part.
        static let all = [
            Table(name: "devices", device: "id", conflict: "REPLACE"),
            // What the heir heard itself is newer.
            Table(name: "configs", device: "id", conflict: "IGNORE"),
            Table(name: "forgotten", device: "device", conflict: "REPLACE"),
            Table(name: "self_reported", device: "device", conflict: "REPLACE"),
            Table(name: "minutes", device: "device", conflict: "REPLACE"),
            Table(name: "words", device: "device", conflict: "REPLACE"),
        ]
        static let devices = 0, minutes = 4, words = 5
    }

    /// The devices that a partition has in any table.
    package func devicesToHandOver(_ partition: Partition) async throws(CounterError) -> [String] {
        try await read { db in
            try Self.devices(
                of: partition,
                in: Table.all.map { "SELECT \($0.device) FROM \($0.name)" }.joined(separator: " UNION "), db)
        }
    }

    /// The rows of a device, in pieces of a message's size, and the newest revision.
    package func rowsToHandOver(_ device: String) async throws(CounterError) -> (pieces: [[UInt8]], revision: UInt64) {
        try await read { db in
            var pieces: [[UInt8]] = [[]]
            for (number, table) in Table.all.enumerated() {
                let rows = try Row.fetchCursor(
                    db, sql: "SELECT * FROM \(table.name) WHERE \(table.device) = ?", arguments: [device])
                while let row = try rows.next() {
                    if pieces[pieces.count - 1].count >= Self.partBytes { pieces.append([]) }
                    RowCoding.append(number, Array(row.databaseValues), to: &pieces[pieces.count - 1])
                }
            }
            return (pieces, UInt64(bitPattern: try Self.meta("revision", db)))
        }
    }

    /// The outcome of a part that came.
    package enum Received: Sendable, Equatable {
        /// More parts are to come.
        case incomplete
        /// The partition was taken over with this part; so many devices came with it, these of them lately.
        case taken(devices: Int, recent: [DeviceID])
        /// The move was done before.
        case known
    }

    /// Keeps a part, and takes the partition over when it has all of them.
    package func receive(_ part: HandoverPart) async throws(CounterError) -> Received {
        try await write { db in
            let number = part.partition.number
            let taken = try String.fetchOne(db, sql: "SELECT move FROM taken WHERE partition = ?", arguments: [number])
            guard taken != part.move else { return .known }
            try db.execute(
                sql: "DELETE FROM arriving WHERE partition = ? AND (move, attempt) <> (?, ?)",
                arguments: [number, part.move, part.attempt])
            try db.execute(
                sql: "INSERT OR REPLACE INTO arriving VALUES (?, ?, ?, ?, ?, ?)",
                arguments: [number, part.move, part.attempt, part.number, part.isLast, Data(part.rows)])
            let last = try Int.fetchOne(
                db, sql: "SELECT number FROM arriving WHERE partition = ? AND is_last", arguments: [number])
            let count = try Int.fetchOne(
                db, sql: "SELECT count(*) FROM arriving WHERE partition = ?", arguments: [number])
            guard let last, count == last + 1 else { return .incomplete }
            let devices = try Self.takeOver(part, db)
            let recent = try Self.recentDevices(limit: .max, db)
            return .taken(devices: devices, recent: recent.filter { Partition(of: $0) == part.partition })
        }
    }

    /// - Returns: The number of states that came.
    private static func takeOver(_ part: HandoverPart, _ db: Database) throws -> Int {
        let number = part.partition.number
        var revision = min(
            0, try Int64.fetchOne(db, sql: "SELECT min(revision) FROM minutes") ?? 0,
            try Int64.fetchOne(db, sql: "SELECT min(revision) FROM words") ?? 0)
        var devices = 0
        let parts = try Data.fetchAll(
            db, sql: "SELECT rows FROM arriving WHERE partition = ? ORDER BY number", arguments: [number])
        for rows in parts {
            for (place, values) in try RowCoding.rows(in: Array(rows)) {
                guard Table.all.indices.contains(place), let device = values.first.flatMap(String.fromDatabaseValue),
                    let id = try? DeviceID(device), Partition(of: id) == part.partition
                else { throw CounterError.damaged(path: "a partition's rows", problem: "they cannot be read") }
                if place == Table.devices { devices += 1 }
                try insert(values, into: place, revision: &revision, db)
            }
        }
        let own = try meta("revision", db)
        try setMeta("revision", max(own, Int64(clamping: part.revision)), db)
        try db.execute(sql: "DELETE FROM arriving WHERE partition = ?", arguments: [number])
        try db.execute(sql: "INSERT OR REPLACE INTO taken VALUES (?, ?)", arguments: [number, part.move])
        try db.execute(sql: "DELETE FROM leaving WHERE partition = ?", arguments: [number])
        try db.execute(sql: "INSERT OR REPLACE INTO owned VALUES (?)", arguments: [number])
        return devices
    }

    private static func insert(
        _ values: [DatabaseValue], into place: Int, revision: inout Int64, _ db: Database
    ) throws {
        let table = Table.all[place]
        var values = values
        if place == Table.devices, values.count == 3, let state = Data.fromDatabaseValue(values[2]) {
            values[2] = Data(StateContainer.movingToAnotherLog(Array(state))).databaseValue
        }
        if place == Table.minutes || place == Table.words {
            let column = place == Table.minutes ? 4 : 5
            guard values.count > column, let old = Int64.fromDatabaseValue(values[column]) else {
                throw CounterError.damaged(path: "a partition's rows", problem: "a row has no revision")
            }
            // A row that has not changed since it was here is known here.
            let key = place == Table.minutes ? "minute = ?" : "start = ? AND end = ?"
            let keys = values.prefix(place == Table.minutes ? 2 : 3)
            let isKnown = try Bool.fetchOne(
                db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM \(table.name) WHERE device = ? AND \(key))"),
                arguments: StatementArguments(keys))
            guard old >= 0 || isKnown != true else { return }
            revision -= 1
            values[column] = revision.databaseValue
        }
        let marks = values.map { _ in "?" }.joined(separator: ", ")
        try db.cachedStatement(sql: "INSERT OR \(table.conflict) INTO \(table.name) VALUES (\(marks))")
            .execute(arguments: StatementArguments(values))
    }
}

/// Rows as bytes: the number of a table, that of the values, and each value with a mark of its kind.
enum RowCoding {
    private enum Kind: UInt8 { case null, integer, real, text, blob }

    static func append(_ table: Int, _ values: [DatabaseValue], to bytes: inout [UInt8]) {
        var writer = ByteWriter()
        func write(_ kind: Kind, _ content: some Collection<UInt8>) {
            writer.write(kind.rawValue)
            writer.write(UInt64(content.count))
            writer.write(contentsOf: content)
        }
        writer.write(contentsOf: [UInt8(truncatingIfNeeded: table), UInt8(truncatingIfNeeded: values.count)])
        for value in values {
            switch value.storage {
            case .null: writer.write(Kind.null.rawValue)
            case .int64(let number):
                writer.write(Kind.integer.rawValue)
                writer.write(number)
            case .double(let number):
                writer.write(Kind.real.rawValue)
                writer.write(number)
            case .string(let text): write(.text, text.utf8)
            case .blob(let data): write(.blob, data)
            }
        }
        bytes += writer.bytes
    }

    static func rows(in bytes: [UInt8]) throws(CounterError) -> [(table: Int, values: [DatabaseValue])] {
        do {
            return try bytes.withUnsafeBytes { bytes in
                var reader = ByteReader(bytes)
                var rows: [(table: Int, values: [DatabaseValue])] = []
                while !reader.isAtEnd {
                    let (table, count) = (Int(try reader.read(UInt8.self)), try reader.read(UInt8.self))
                    rows.append((table, try (0..<count).map { _ in try value(&reader) }))
                }
                return rows
            }
        } catch { throw .damaged(path: "a partition's rows", problem: "they end too early") }
    }

    private static func value(_ reader: inout ByteReader) throws(WireError) -> DatabaseValue {
        guard let kind = Kind(rawValue: try reader.read()) else { throw .malformed }
        func content() throws(WireError) -> UnsafeRawBufferPointer {
            let count = try reader.read(UInt64.self)
            return try reader.readBytes(Int(clamping: count))
        }
        switch kind {
        case .null: return .null
        case .integer: return try reader.read(Int64.self).databaseValue
        case .real: return Double(bitPattern: try reader.read()).databaseValue
        case .text: return String(decoding: try content(), as: UTF8.self).databaseValue
        case .blob: return Data(try content()).databaseValue
        }
    }
}
