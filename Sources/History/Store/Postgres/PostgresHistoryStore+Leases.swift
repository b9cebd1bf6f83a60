public import Wire

extension PostgresHistoryStore {
    /// Begins or renews a lease; see `HistoryStore.startLease`.
    public func startLease(_ offer: LeaseOffer, nowSeconds: Int64) async throws(HistoryError) -> LiveLease? {
        let root = root
        return try await write { session in
            var tables = PostgresTables(session)
            try tables.lock(offer.device)
            let leases = try tables.leases(of: offer.device)
            if var lease = leases.first(where: { $0.topic == offer.topic }), lease.isRenewed(by: offer) {
                lease.renew(offer, nowSeconds: nowSeconds)
                lease.id = try Self.store(lease, root: root, session)
                return lease
            }
            let count = try session.query("SELECT count(*) FROM leases").first?.int(0) ?? 0
            let isNew = !leases.contains { $0.topic == offer.topic }
            guard !isNew || (leases.count < LiveLimits.maximumLeasesADevice && count < LiveLimits.maximumLeases) else {
                return nil
            }
            let counted = offer.saysStart ? try Self.counted(offer, id: tables.devices[offer.device]?.id, session) : 0
            var lease = LiveLease(offer, counted: counted, nowSeconds: nowSeconds)
            lease.id = try Self.store(lease, root: root, session)
            return lease
        }
    }

    /// Ends a lease; see `HistoryStore.stopLease`.
    public func stopLease(of device: DeviceID, topic: [UInt8]) async throws(HistoryError) -> Bool {
        try await write { session in
            let text = String(decoding: topic, as: UTF8.self)
            return try session.execute(
                "DELETE FROM leases WHERE device = $1 AND topic = $2", [.text(device.description), .text(text)]) > 0
        }
    }

    /// Ends a lease that nobody hears; see `HistoryStore.endLease`.
    public func endLease(_ lease: LiveLease) async throws(HistoryError) -> Bool {
        try await write { session in
            try session.execute(
                "DELETE FROM leases WHERE id = $1 AND expires_s = $2",
                [.int(lease.id ?? 0), .int(lease.expiresSeconds)]) > 0
        }
    }

    /// Leases of this bus with notices that are due; see `HistoryStore.dueLeases`.
    public func dueLeases(limit: Int) async throws(HistoryError) -> [LiveLease] {
        let root = root
        return try await read { session in
            try session.query(
                "SELECT \(LiveLease.columns) FROM leases WHERE reached > sent AND root = $1 LIMIT $2",
                [.text(root), .int(Int64(limit))]
            ).map { try LiveLease($0) }.compactMap { $0 }
        }
    }

    /// Notes how far the broker has a lease's notices; see `HistoryStore.noteSent`.
    public func noteSent(_ lease: LiveLease, number: Int64) async throws(HistoryError) {
        try await write { session in
            _ = try session.execute(
                "UPDATE leases SET sent = greatest(sent, $2) WHERE id = $1", [.int(lease.id ?? 0), .int(number)])
        }
    }

    /// Ends the leases of this bus that have expired; see `HistoryStore.endLeases`.
    public func endLeases(nowSeconds: Int64) async throws(HistoryError) -> Int {
        let root = root
        return try await write { session in
            try session.execute(
                "DELETE FROM leases WHERE expires_s < $2 AND root = $1", [.text(root), .int(nowSeconds)])
        }
    }

    /// Gives every lease of this bus its whole time once more; see `HistoryStore.prolongLeases`.
    public func prolongLeases(nowSeconds: Int64) async throws(HistoryError) {
        let root = root
        try await write { session in
            _ = try session.execute(
                "UPDATE leases SET expires_s = greatest(expires_s, $2 + lease_s) WHERE root = $1",
                [.text(root), .int(nowSeconds)])
        }
    }

    private static func counted(_ offer: LeaseOffer, id: Int64?, _ session: PostgresSession) throws -> Int64 {
        guard let id else { return 0 }
        let column = offer.counts.rawValue
        return try session.query(
            """
            SELECT coalesce(sum(number), 0)::bigint FROM (
                SELECT \(column) AS number FROM minutes WHERE device = $1 AND minute >= $2
                UNION ALL SELECT \(column) FROM hours WHERE device = $1 AND minute >= $2) AS known
            """, [.int(id), .int(offer.startMinute)]
        ).first?.int(0) ?? 0
    }

    /// Writes a lease; one without a number takes the place of the one that is there, and gets a new one.
    private static func store(_ lease: LiveLease, root: String, _ session: PostgresSession) throws -> Int64? {
        var (text, number) = (PostgresValue.optionalText(nil), PostgresValue.optionalInt(nil))
        switch lease.transaction {
        case .text(let value): text = .text(value)
        case .number(let value): number = .int(value)
        case nil: break
        }
        let correlation = lease.correlationData.map { PostgresValue.bytes($0) } ?? .null
        if let id = lease.id {
            try session.execute(
                """
                UPDATE leases SET correlation = $2::bytea, transaction_text = $3::text,
                transaction_number = $4::bigint, lease_s = $5, expires_s = $6, root = $7 WHERE id = $1
                """,
                [
                    .int(id), correlation, text, number, .int(lease.leaseSeconds), .int(lease.expiresSeconds),
                    .text(root),
                ])
            return id
        }
        let (device, topic) = (lease.device.description, String(decoding: lease.topic, as: UTF8.self))
        try session.execute("DELETE FROM leases WHERE device = $1 AND topic = $2", [.text(device), .text(topic)])
        return try session.query(
            """
            INSERT INTO leases (root, device, topic, correlation, transaction_text, transaction_number, counts, every,
                start_minute, counted, reached, sent, lease_s, expires_s)
            VALUES ($1, $2, $3, $4::bytea, $5::text, $6::bigint, $7, $8, $9, $10, $11, $12, $13, $14) RETURNING id
            """,
            [
                .text(root), .text(device), .text(topic), correlation, text, number, .text(lease.counts.rawValue),
                .int(lease.every), .int(lease.startMinute), .int(lease.counted), .int(lease.reached), .int(lease.sent),
                .int(lease.leaseSeconds), .int(lease.expiresSeconds),
            ]
        ).first?.int(0)
    }
}
