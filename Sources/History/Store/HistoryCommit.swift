import Wire

/// One transaction on its way, whatever the store: the devices that it touches, with their days, until `finish` writes
/// them back.
struct HistoryCommit<Tables: CommitTables> {
    var tables: Tables
    let defaultZone: DayCalendar
    let nowMinute: Int64
    var outcome = CommitOutcome()
    private var ledgers: [DeviceID: DeviceLedger] = [:]

    init(tables: Tables, defaultZone: DayCalendar, nowMinute: Int64) {
        self.tables = tables
        self.defaultZone = defaultZone
        self.nowMinute = nowMinute
    }

    /// Keeps rows, cursors and device settings.
    mutating func apply(_ changes: HistoryChanges) throws {
        for change in changes.settings { try apply(change) }
        for row in changes.rows { try apply(row) }
        for cursor in changes.cursors { try tables.store(cursor) }
    }

    /// A minute row: kept if it is newer than what is there, and its difference added to its day and device.
    private mutating func apply(_ row: MinuteTotals) throws {
        guard var ledger = try takeLedger(of: row.device) else {
            outcome.refusedRows += 1
            return
        }
        defer { ledgers[row.device] = ledger }
        guard row.minute >= ledger.record.compactedMinute else {
            outcome.lateRows += 1
            return
        }
        let old = try tables.minute(row, id: ledger.id)
        if let old, old.revision >= Int64(clamping: row.revision) {
            outcome.repeatedRows += 1
            return
        }
        try tables.store(row, id: ledger.id)
        try learnDays(&ledger, around: row.minute)
        ledger.add(
            Counts(row) - (old?.counts ?? Counts()), toMinute: row.minute, revision: Int64(clamping: row.revision))
        outcome.appliedRows += 1
        outcome.changedDevices.insert(row.device)
    }

    /// Settings: days that are over stay as they are, the others are made again in the new zone.
    private mutating func apply(_ change: SettingsChange) throws {
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
        try tables.storeSettings(settings, id: ledger.id)
        let known = try tables.assignments(of: change.device)
        if let all = AssignmentBook.naming(settings.person, for: change.device, at: nowMinute, in: known) {
            try tables.replaceAssignments(of: change.device, with: all)
        }
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

    /// Writes back the devices and days that have changed.
    mutating func finish() throws -> CommitOutcome {
        for ledger in ledgers.values where ledger.hasChanged {
            try tables.storeTotals(ledger.record, id: ledger.id)
            for lease in ledger.leases {
                try tables.store(lease)
                if lease.reached > lease.sent { outcome.hasNotices = true }
            }
            try storeChangedDays(ledger)
        }
        return outcome
    }

    /// Takes the ledger out of the table, because a copy left in it would make every change copy its days.
    private mutating func takeLedger(of device: DeviceID) throws -> DeviceLedger? {
        if let ledger = ledgers.removeValue(forKey: device) { return ledger }
        guard let (id, record) = try tables.device(device) ?? newDevice(device) else { return nil }
        return DeviceLedger(
            id: id, record: record, calendar: DayCalendar(record.settings, defaultZone: defaultZone),
            leases: try tables.leases(of: device))
    }

    private mutating func newDevice(_ device: DeviceID) throws -> (Int64, DeviceRecord)? {
        try tables.insertDevice(device).map { ($0, DeviceRecord(device: device)) }
    }

    private mutating func learnDays(_ ledger: inout DeviceLedger, around minute: Int64) throws {
        guard let dates = ledger.book.datesNeeded(forMinute: minute) else { return }
        ledger.book.learn(try tables.days(id: ledger.id, dates: dates), forMinute: minute)
    }

    private mutating func remakeOpenDays(_ ledger: inout DeviceLedger, in calendar: DayCalendar) throws {
        try storeChangedDays(ledger)
        let (start, revisions) = try tables.removeOpenDays(id: ledger.id, nowMinute: nowMinute)
        ledger.begin(calendar, afterRevision: revisions)
        guard let start else { return }
        for (minute, row) in try tables.minutes(id: ledger.id, from: start) {
            try learnDays(&ledger, around: minute)
            ledger.book.add(row.counts, toMinute: minute, revision: row.revision)
        }
        try storeChangedDays(ledger)
    }

    private mutating func storeChangedDays(_ ledger: DeviceLedger) throws {
        let days = ledger.book.changedDays
        for day in days { try tables.store(day, id: ledger.id) }
        guard let last = days.max(by: { $0.date < $1.date }) else { return }
        if let peak = DayPeak.raising(try tables.peak(id: ledger.id), to: last) {
            try tables.store(peak, id: ledger.id)
        }
    }
}
