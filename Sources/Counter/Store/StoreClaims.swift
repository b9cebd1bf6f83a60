import GRDB
package import Wire

/// The claims of devices on stretches of time, and the rows that follow from them.
extension CounterStore {
    /// The claims that are taken together lie within so much time, in microseconds: what there is around them is read
    /// at once.
    private static let groupMicroseconds: Int64 = 31 * 86_400_000_000
    /// A claim is long if it is spread over hours, in microseconds.
    private static let hourMicroseconds: Int64 = 3_600_000_000

    /// Takes the claims of a device in their order.
    ///
    /// - Parameter revision: the newest of the store; it grows with each row.
    static func take(_ claims: DeviceClaims, revision: inout Int64, _ db: Database) throws -> ClaimOutcome {
        var outcome = ClaimOutcome(device: claims.device)
        let forgotten = try forgotten(claims.device, db)
        var rest = claims.claims[...]
        while let first = rest.first {
            var range = first.start..<first.end
            var count = 0
            for claim in rest {
                let wider = min(range.lowerBound, claim.start)..<max(range.upperBound, claim.end)
                guard wider.upperBound - wider.lowerBound <= groupMicroseconds || count == 0 else { break }
                (range, count) = (wider, count + 1)
            }
            let group = rest.prefix(count)
            rest = rest.dropFirst(count)
            try take(group, of: claims, around: range, forgotten, &outcome, &revision, db)
        }
        return outcome
    }

    private static func take(
        _ group: ArraySlice<StepClaim>, of claims: DeviceClaims, around range: Range<Int64>,
        _ forgotten: [Range<Int64>], _ outcome: inout ClaimOutcome, _ revision: inout Int64, _ db: Database
    ) throws {
        let id = claims.device.description
        let known = try read(id, around: range, db)
        let carry =
            try Int64.fetchOne(
                db.cachedStatement(sql: "SELECT micro_steps FROM carries WHERE device = ?"), arguments: [id])
            ?? ClaimWindow.firstCarryMicroSteps
        var window = ClaimWindow(known, carryMicroSteps: carry)
        let old = window.claims
        let changes = window.take(group, &outcome)
        guard window.claims != old else { return }
        try replace(known, by: window.claims, of: id, db)
        if window.carryMicroSteps != carry {
            try db.execute(
                sql: """
                    INSERT INTO carries VALUES (?, ?)
                    ON CONFLICT (device) DO UPDATE SET micro_steps = excluded.micro_steps
                    """, arguments: [id, window.carryMicroSteps])
        }
        for (place, change) in changes where !forgotten.contains(where: { $0.contains(place.minute) }) {
            revision += 1
            try add(change, change * claims.micrometresPerStep, at: place, of: id, revision: revision, db)
        }
    }

    /// All claims that share time with a range, or with one that does.
    private static func read(_ id: String, around range: Range<Int64>, _ db: Database) throws -> [StepClaim] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT start, end, micro_steps, steps FROM claims
                WHERE device = ? AND is_long = ? AND start > ? AND start < ? AND end > ?
                """)
        func claims(isLong: Bool, _ range: Range<Int64>) throws -> [StepClaim] {
            let longest = isLong ? StepClaim.maximumMicroseconds : hourMicroseconds
            return try Row.fetchAll(
                statement,
                arguments: [id, isLong, range.lowerBound - longest, range.upperBound, range.lowerBound]
            ).map { StepClaim(start: $0[0], end: $0[1], microSteps: $0[2], steps: $0[3]) }
        }
        var range = range
        while true {
            let found = try claims(isLong: true, range) + claims(isLong: false, range)
            let wider = found.reduce(range) { min($0.lowerBound, $1.start)..<max($0.upperBound, $1.end) }
            guard wider != range else { return found }
            range = wider
        }
    }

    private static func replace(_ old: [StepClaim], by new: [StepClaim], of id: String, _ db: Database) throws {
        let delete = try db.cachedStatement(
            sql: "DELETE FROM claims WHERE device = ? AND is_long = ? AND start = ? AND end = ?")
        for claim in Set(old).subtracting(new) {
            try delete.execute(arguments: [id, claim.microseconds > hourMicroseconds, claim.start, claim.end])
        }
        let insert = try db.cachedStatement(sql: "INSERT INTO claims VALUES (?, ?, ?, ?, ?, ?)")
        for claim in Set(new).subtracting(old) {
            try insert.execute(
                arguments: [
                    id, claim.microseconds > hourMicroseconds, claim.start, claim.end, claim.microSteps, claim.steps,
                ])
        }
    }

    private static func add(
        _ steps: Int64, _ distance: Int64, at place: ClaimWindow.Place, of id: String, revision: Int64, _ db: Database
    ) throws {
        // The samples that came before the claim cover their part of the time.
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO claimed VALUES (?1, ?2, ?3, ?4, ?5, ?6,
                    (SELECT ifnull(sum(covered_us), 0) FROM minutes WHERE device = ?1 AND minute >= ?2 AND minute < ?7))
                ON CONFLICT (device, minute, is_hour) DO UPDATE SET revision = excluded.revision,
                    steps = steps + excluded.steps, distance_um = distance_um + excluded.distance_um
                """)
        try statement.execute(
            arguments: [
                id, place.minute, place.isHour, revision, steps, distance,
                place.minute + ClaimedRow.minutes(from: place.minute, isHour: place.isHour),
            ])
    }

    /// Samples cover time of which a device has claims: the rows of them change.
    static func cover(_ increment: MinuteIncrement, revision: inout Int64, _ db: Database) throws {
        let statement = try db.cachedStatement(
            sql: """
                UPDATE claimed SET covered_us = covered_us + ?, revision = ?
                WHERE device = ? AND minute = ? AND is_hour = ?
                """)
        let id = increment.device.description
        let hour = try Int64.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT minute FROM claimed WHERE device = ? AND minute >= ? AND minute <= ? AND is_hour = 1
                    ORDER BY minute DESC LIMIT 1
                    """), arguments: [id, increment.minute / 60 * 60, increment.minute])
        for (minute, isHour) in [(increment.minute, false), (hour ?? -1, true)] where minute >= 0 {
            try statement.execute(
                arguments: [increment[.coveredMicroseconds], revision + 1, id, minute, isHour])
            if db.changesCount > 0 { revision += 1 }
        }
    }

    /// Whether a device said anything of stretches of time.
    static func hasClaims(_ device: DeviceID, _ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM claimed WHERE device = ?)"),
            arguments: [device.description]) ?? false
    }

    /// Empties the rows of claims within a range of minutes, as their newest change, and lets go of the claims in it.
    static func forgetClaims(
        of id: String, in minutes: Range<Int64>, revision: inout Int64, _ db: Database
    ) throws {
        let micro = MinuteIncrement.minuteMicroseconds
        let (start, startOverflow) = minutes.lowerBound.multipliedReportingOverflow(by: micro)
        let (end, endOverflow) = minutes.upperBound.multipliedReportingOverflow(by: micro)
        try db.execute(
            sql: "DELETE FROM claims WHERE device = ? AND start >= ? AND end <= ?",
            arguments: [id, startOverflow ? .min : start, endOverflow ? .max : end])
        let places = try Row.fetchAll(
            db, sql: "SELECT minute, is_hour FROM claimed WHERE device = ? AND minute >= ? AND minute < ?",
            arguments: [id, minutes.lowerBound, minutes.upperBound])
        for place in places {
            revision += 1
            try db.execute(
                sql: """
                    UPDATE claimed SET steps = 0, distance_um = 0, revision = ?
                    WHERE device = ? AND minute = ? AND is_hour = ?
                    """, arguments: [revision, id, place[0] as Int64, place[1] as Int64])
        }
    }
}

/// A row of claimed steps for history. It has an epoch of its own, so that it adds to the row of the same minute that
/// follows from samples, also when that was pruned here long ago.
package struct ClaimedRow: Sendable {
    package var device: DeviceID
    package var place: ClaimWindow.Place
    package var revision: UInt64
    package var steps: Int64
    package var distanceMicrometres: Int64
    package var coveredMicroseconds: Int64
    /// The epoch of the store that made the row, where it came from another one.
    package var epoch: UInt64?

    package init(device: DeviceID, place: ClaimWindow.Place, revision: UInt64) {
        (self.device, self.place, self.revision) = (device, place, revision)
        (steps, distanceMicrometres, coveredMicroseconds) = (0, 0, 0)
    }

    /// The minutes from one on that a row stands for: itself, or the rest of its hour.
    package static func minutes(from minute: Int64, isHour: Bool) -> Int64 { isHour ? 60 - minute % 60 : 1 }

    /// The row in the units of the bus: the share of its time that no samples cover.
    package func totals(epoch: UInt64) -> MinuteTotals {
        var own = MinuteIncrement(device: device, minute: place.minute, origin: .device)
        (own[.steps], own[.distanceMicrometres]) = (max(0, steps), max(0, distanceMicrometres))
        var counted = MinuteIncrement(device: device, minute: place.minute)
        let minutes = Self.minutes(from: place.minute, isHour: place.isHour)
        counted[.coveredMicroseconds] = coveredMicroseconds / minutes
        var sum = counted.filled(with: own)
        sum[.coveredMicroseconds] = 0
        return MinuteTotals(sum, epoch: (self.epoch ?? epoch) &+ (place.isHour ? 2 : 1), revision: revision)
    }
}

extension ClaimedRow {
    /// A row of `CounterSchema.claimedAfter`.
    init?(row: Row) {
        guard let device = try? DeviceID(row[0] as String) else { return nil }
        self.init(
            device: device, place: .init(minute: row[1], isHour: row[2]), revision: UInt64(bitPattern: row[3] as Int64))
        (steps, distanceMicrometres, coveredMicroseconds) = (row[4], row[5], row[6])
        epoch = (row[7] as Int64?).map { UInt64(bitPattern: $0) }
    }
}
