import Foundation
import GRDB
public import Wire

extension SQLiteHistoryStore {
    /// Begins or renews a lease; see `HistoryStore.startLease`.
    public func startLease(_ offer: LeaseOffer, nowSeconds: Int64) async throws(HistoryError) -> LiveLease? {
        try await write { db in
            let leases = try LiveLease.all(of: offer.device, db)
            if var lease = leases.first(where: { $0.topic == offer.topic }), lease.isRenewed(by: offer) {
                lease.renew(offer, nowSeconds: nowSeconds)
                try lease.store(db)
                return lease
            }
            let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM leases") ?? 0
            let isNew = !leases.contains { $0.topic == offer.topic }
            guard !isNew || (leases.count < LiveLimits.maximumLeasesADevice && count < LiveLimits.maximumLeases) else {
                return nil
            }
            let counted = offer.saysStart ? try Self.counted(offer, db) : 0
            var lease = LiveLease(offer, counted: counted, nowSeconds: nowSeconds)
            try lease.store(db)
            lease.id = db.lastInsertedRowID
            return lease
        }
    }

    /// Ends a lease; see `HistoryStore.stopLease`.
    public func stopLease(of device: DeviceID, topic: [UInt8]) async throws(HistoryError) -> Bool {
        try await write { db in
            try db.execute(
                sql: "DELETE FROM leases WHERE device = ? AND topic = ?",
                arguments: [device.description, String(decoding: topic, as: UTF8.self)])
            return db.changesCount > 0
        }
    }

    /// Ends a lease that nobody hears; see `HistoryStore.endLease`.
    public func endLease(_ lease: LiveLease) async throws(HistoryError) -> Bool {
        try await write { db in
            try db.execute(
                sql: "DELETE FROM leases WHERE id = ? AND expires_s = ?", arguments: [lease.id, lease.expiresSeconds])
            return db.changesCount > 0
        }
    }

    /// Leases with notices that are due; see `HistoryStore.dueLeases`.
    public func dueLeases(limit: Int) async throws(HistoryError) -> [LiveLease] {
        try await read { db in
            try Row.fetchAll(
                db, sql: "SELECT \(LiveLease.columns) FROM leases WHERE reached > sent LIMIT ?", arguments: [limit]
            ).compactMap { LiveLease($0) }
        }
    }

    /// Notes how far the broker has a lease's notices; see `HistoryStore.noteSent`.
    public func noteSent(_ lease: LiveLease, number: Int64) async throws(HistoryError) {
        try await write { db in
            try db.cachedStatement(sql: "UPDATE leases SET sent = max(sent, ?) WHERE id = ?")
                .execute(arguments: [number, lease.id])
        }
    }

    /// Ends the leases that have expired; see `HistoryStore.endLeases`.
    public func endLeases(nowSeconds: Int64) async throws(HistoryError) -> Int {
        let isDue = try await read { db in
            try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM leases WHERE expires_s < ?)", arguments: [nowSeconds]) ?? false
        }
        guard isDue else { return 0 }
        return try await write { db in
            try db.execute(sql: "DELETE FROM leases WHERE expires_s < ?", arguments: [nowSeconds])
            return db.changesCount
        }
    }

    /// Gives every lease its whole time once more; see `HistoryStore.prolongLeases`.
    public func prolongLeases(nowSeconds: Int64) async throws(HistoryError) {
        try await write { db in
            try db.execute(
                sql: "UPDATE leases SET expires_s = max(expires_s, ? + lease_s)", arguments: [nowSeconds])
        }
    }

    private static func counted(_ offer: LeaseOffer, _ db: Database) throws -> Int64 {
        try Int64.fetchOne(
            db,
            sql: """
                WITH known AS (
                    SELECT device, minute, \(offer.counts.rawValue) AS number FROM minutes
                    UNION ALL SELECT device, minute, \(offer.counts.rawValue) FROM hours)
                SELECT coalesce(sum(number), 0) FROM known
                WHERE device = (SELECT id FROM devices WHERE name = ?) AND minute >= ?
                """, arguments: [offer.device.description, offer.startMinute]) ?? 0
    }
}

extension LiveLease {
    static func all(of device: DeviceID, _ db: Database) throws -> [LiveLease] {
        let statement = try db.cachedStatement(sql: "SELECT \(columns) FROM leases WHERE device = ?")
        return try Row.fetchAll(statement, arguments: [device.description]).compactMap { LiveLease($0) }
    }

    fileprivate init?(_ row: Row) {
        let (name, topic, word): (String, String, String) = (row[0], row[1], row[5])
        guard let device = try? DeviceID(name), let counts = CountedKind(rawValue: word) else { return nil }
        let text: String? = row[3]
        let number: Int64? = row[4]
        let offer = LeaseOffer(
            device: device, topic: Array(topic.utf8), correlationData: Self.bytes(row[2]),
            transaction: text.map { .text($0) } ?? number.map { .number($0) }, counts: counts, every: row[6],
            startMinute: row[7], leaseSeconds: row[11])
        self.init(offer, counted: row[8], nowSeconds: 0)
        reached = row[9]
        sent = row[10]
        expiresSeconds = row[12]
        id = row[13]
    }

    private static func bytes(_ data: Data?) -> [UInt8]? { data.map { Array($0) } }

    /// Writes the lease, in place of the one that it replaces.
    func store(_ db: Database) throws {
        var text: String?
        var number: Int64?
        switch transaction {
        case .text(let value): text = value
        case .number(let value): number = value
        case nil: break
        }
        try db.cachedStatement(sql: "INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            .execute(arguments: [
                id, device.description, String(decoding: topic, as: UTF8.self), correlationData.map { Data($0) }, text,
                number,
                counts.rawValue, every, startMinute, counted, reached, sent, leaseSeconds, expiresSeconds,
            ])
    }
}
