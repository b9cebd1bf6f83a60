import GRDB
import Wire

extension SQLiteHistoryStore {
    /// Keeps rows, cursors and device settings in one transaction; see `HistoryStore.commit`.
    public func commit(
        _ changes: HistoryChanges, nowSeconds: Int64
    ) async throws(HistoryError) -> CommitOutcome {
        guard !changes.isEmpty else { return CommitOutcome() }
        let defaultZone = defaultZone
        let maximumDevices = maximumDevices
        return try await write { db in
            var commit = SQLiteCommit(
                db: db, defaultZone: defaultZone, maximumDevices: maximumDevices, nowMinute: nowSeconds / 60)
            for change in changes.settings { try commit.apply(change) }
            for row in changes.rows { try commit.apply(row) }
            for cursor in changes.cursors { try commit.apply(cursor) }
            return try commit.finish()
        }
    }
}

/// One transaction on its way: the devices it touches, with their days, until `finish` writes them back.
struct SQLiteCommit {
    let db: Database
    let defaultZone: DayCalendar
    let maximumDevices: Int
    let nowMinute: Int64
    var outcome = CommitOutcome()
    private var ledgers: [DeviceID: DeviceLedger] = [:]

    init(db: Database, defaultZone: DayCalendar, maximumDevices: Int, nowMinute: Int64) {
        self.db = db
        self.defaultZone = defaultZone
        self.maximumDevices = maximumDevices
        self.nowMinute = nowMinute
    }

    /// A minute row: kept if it is newer than what is there, and its difference added to its day and device.
    mutating func apply(_ row: MinuteTotals) throws {
        guard var ledger = try takeLedger(of: row.device) else {
            outcome.refusedRows += 1
            return
        }
        defer { ledgers[row.device] = ledger }
        guard row.minute >= ledger.record.compactedMinute else {
            outcome.lateRows += 1
            return
        }
        let old = try storedMinute(row, id: ledger.id)
        if let old, old.revision >= Int64(clamping: row.revision) {
            outcome.repeatedRows += 1
            return
        }
        try store(row, id: ledger.id)
        try learnDays(&ledger, around: row.minute)
        ledger.add(
            Counts(row) - (old?.counts ?? Counts()), toMinute: row.minute, revision: Int64(clamping: row.revision))
        outcome.appliedRows += 1
        outcome.changedDevices.insert(row.device)
    }

    /// Settings: days that are over stay as they are, the others are made again in the new zone.
    mutating func apply(_ change: SettingsChange) throws {
        guard var ledger = try takeLedger(of: change.device) else {
            outcome.refusedRows += 1
            return
        }
        defer { ledgers[change.device] = ledger }
        let before = ledger.calendar
        let settings = change.settings ?? DeviceSettings()
        // The broker sends every retained config again at each subscription.
        guard ledger.record.settings != settings else { return }
        ledger.record.settings = settings
        try storeSettings(ledger)
        try storePerson(settings.person, of: change.device)
        outcome.changedDevices.insert(change.device)
        let after = DayCalendar(ledger.record.settings, defaultZone: defaultZone)
        guard before.zone != after.zone || before.dayStartMinutes != after.dayStartMinutes else { return }
        try remakeOpenDays(&ledger, in: after)
    }

    /// Takes counts off the day of a minute and off a device.
    mutating func takeOff(_ counts: Counts, from minute: Int64, revision: Int64, of device: DeviceID) throws {
        guard var ledger = try takeLedger(of: device) else { return }
        defer { ledgers[device] = ledger }
        try learnDays(&ledger, around: minute)
        ledger.add(Counts() - counts, toMinute: minute, revision: revision)
    }

    /// A chain's cursor never goes back.
    func apply(_ cursor: ChainCursor) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO chains VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
                revision = max(revision, excluded.revision), heard_s = max(heard_s, excluded.heard_s)
                """
        ).execute(arguments: [
            Int64(bitPattern: cursor.epoch), cursor.partition.number, Int64(clamping: cursor.revision),
            cursor.heardSeconds,
        ])
    }

    /// Writes back the devices and days that have changed.
    mutating func finish() throws -> CommitOutcome {
        for ledger in ledgers.values where ledger.hasChanged {
            try storeTotals(ledger)
            for lease in ledger.leases {
                try lease.store(db)
                if lease.reached > lease.sent { outcome.hasNotices = true }
            }
            try storeChangedDays(ledger)
        }
        return outcome
    }

    /// Takes the ledger out of the table, because a copy left in it would make every change copy its days.
    private mutating func takeLedger(of device: DeviceID) throws -> DeviceLedger? {
        if let ledger = ledgers.removeValue(forKey: device) { return ledger }
        guard let (id, record) = try storedDevice(device) ?? newDevice(device) else { return nil }
        return DeviceLedger(
            id: id, record: record, calendar: DayCalendar(record.settings, defaultZone: defaultZone),
            leases: try LiveLease.all(of: device, db))
    }

    private func newDevice(_ device: DeviceID) throws -> (Int64, DeviceRecord)? {
        try insertDevice(device).map { ($0, DeviceRecord(device: device)) }
    }

    private func learnDays(_ ledger: inout DeviceLedger, around minute: Int64) throws {
        guard let dates = ledger.book.datesNeeded(forMinute: minute) else { return }
        ledger.book.learn(try storedDays(id: ledger.id, dates: dates), forMinute: minute)
    }

    private func remakeOpenDays(_ ledger: inout DeviceLedger, in calendar: DayCalendar) throws {
        try storeChangedDays(ledger)
        let (start, revisions) = try removeOpenDays(id: ledger.id, nowMinute: nowMinute)
        ledger.begin(calendar, afterRevision: revisions)
        guard let start else { return }
        for (minute, counts, revision) in try storedMinutes(id: ledger.id, from: start) {
            try learnDays(&ledger, around: minute)
            ledger.book.add(counts, toMinute: minute, revision: revision)
        }
        try storeChangedDays(ledger)
    }

    private func storeChangedDays(_ ledger: DeviceLedger) throws {
        let days = ledger.book.changedDays
        for day in days { try store(day, id: ledger.id) }
        if let last = days.max(by: { $0.date < $1.date }) { try raisePeak(to: last, id: ledger.id) }
    }
}
