import Wire

/// One transaction on its way, whatever the store: the devices that it touches, with their days, until `finish` writes
/// them back.
struct HistoryCommit<Tables: CommitTables> {
    var tables: Tables
    let defaultZone: DayCalendar
    let nowMinute: Int64
    var outcome = CommitOutcome()
    private var ledgers: [DeviceLedger] = []
    private var positions: [DeviceID: Int] = [:]
    /// The place of the last ledger that was looked for: a device's rows mostly come together.
    private var last: (device: DeviceID, position: Int)?

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
        guard let position = try position(of: row.device, isNew: !row.isEmpty) else {
            if row.isEmpty { outcome.repeatedRows += 1 } else { outcome.refusedRows += 1 }
            return
        }
        guard row.minute >= ledgers[position].record.compactedMinute else {
            outcome.lateRows += 1
            return
        }
        let (id, revision) = (ledgers[position].id, Int64(clamping: row.revision))
        let old = try tables.minute(row, id: id)
        if let old, old.revision >= revision {
            outcome.repeatedRows += 1
            return
        }
        if row.isEmpty {
            // What the counter was told to forget comes back empty: nothing is made of it, and no peak is left of it.
            guard old != nil else {
                outcome.repeatedRows += 1
                return
            }
            ledgers[position].forgetsPeak = true
        }
        try tables.store(row, id: id)
        try learnDays(position, around: row.minute)
        ledgers[position].add(Counts(row) - (old?.counts ?? Counts()), toMinute: row.minute, revision: revision)
        outcome.appliedRows += 1
    }

    /// Settings: days that are over stay as they are, the others are made again in the new zone.
    private mutating func apply(_ change: SettingsChange) throws {
        guard let position = try position(of: change.device) else {
            outcome.refusedRows += 1
            return
        }
        let before = ledgers[position].calendar
        let settings = change.settings ?? DeviceSettings()
        // The broker sends every retained config again at each subscription.
        guard ledgers[position].record.settings != settings else { return }
        ledgers[position].record.settings = settings
        try tables.storeSettings(settings, id: ledgers[position].id)
        let known = try tables.assignments(of: change.device)
        if let all = AssignmentBook.naming(settings.person, for: change.device, at: nowMinute, in: known) {
            try tables.replaceAssignments(of: change.device, with: all)
        }
        outcome.changedDevices.insert(change.device)
        let after = DayCalendar(settings, defaultZone: defaultZone)
        guard before.zone != after.zone || before.dayStartMinutes != after.dayStartMinutes else { return }
        try remakeOpenDays(position, in: after)
    }

    /// Takes counts off the day of a minute and off a device.
    mutating func takeOff(_ counts: Counts, from minute: Int64, revision: Int64, of device: DeviceID) throws {
        guard let position = try position(of: device) else { return }
        try learnDays(position, around: minute)
        ledgers[position].add(Counts() - counts, toMinute: minute, revision: revision)
    }

    /// Writes back the devices and days that have changed.
    mutating func finish() throws -> CommitOutcome {
        for ledger in ledgers where ledger.hasChanged {
            outcome.changedDevices.insert(ledger.record.device)
            try tables.storeTotals(ledger.record, id: ledger.id)
            if ledger.forgetsPeak {
                try tables.forgetTotalPeak(id: ledger.id)
            } else if ledger.hasFallen {
                try tables.raiseTotalPeak(to: ledger.countsBefore, id: ledger.id)
            }
            for lease in ledger.leases {
                try tables.store(lease)
                if lease.reached > lease.sent { outcome.hasNotices = true }
            }
            try storeChangedDays(ledger)
        }
        return outcome
    }

    /// Where the ledger of a device is; nil if there is no room for the device, or if it is new and must not be made.
    private mutating func position(of device: DeviceID, isNew: Bool = true) throws -> Int? {
        if let last, last.device == device { return last.position }
        guard let position = try positions[device] ?? open(device, isNew: isNew) else { return nil }
        last = (device, position)
        return position
    }

    private mutating func open(_ device: DeviceID, isNew: Bool) throws -> Int? {
        guard let (id, record) = try tables.device(device) ?? (isNew ? newDevice(device) : nil) else { return nil }
        ledgers.append(
            DeviceLedger(
                id: id, record: record, calendar: DayCalendar(record.settings, defaultZone: defaultZone),
                leases: try tables.leases(of: device)))
        positions[device] = ledgers.count - 1
        return ledgers.count - 1
    }

    private mutating func newDevice(_ device: DeviceID) throws -> (Int64, DeviceRecord)? {
        try tables.insertDevice(device).map { ($0, DeviceRecord(device: device)) }
    }

    private mutating func learnDays(_ position: Int, around minute: Int64) throws {
        guard let dates = ledgers[position].book.datesNeeded(forMinute: minute) else { return }
        ledgers[position].book.learn(try tables.days(id: ledgers[position].id, dates: dates), forMinute: minute)
    }

    private mutating func remakeOpenDays(_ position: Int, in calendar: DayCalendar) throws {
        try storeChangedDays(ledgers[position])
        let id = ledgers[position].id
        let (start, revisions) = try tables.removeOpenDays(id: id, nowMinute: nowMinute)
        ledgers[position].begin(calendar, afterRevision: revisions)
        guard let start else { return }
        for (minute, row) in try tables.minutes(id: id, from: start) {
            try learnDays(position, around: minute)
            ledgers[position].book.add(row.counts, toMinute: minute, revision: row.revision)
        }
        try storeChangedDays(ledgers[position])
    }

    private mutating func storeChangedDays(_ ledger: DeviceLedger) throws {
        let days = ledger.book.changedDays
        for day in days { try tables.store(day, id: ledger.id) }
        guard let last = days.max(by: { $0.date < $1.date }) else { return }
        if let peak = DayPeak.raising(ledger.forgetsPeak ? nil : try tables.peak(id: ledger.id), to: last) {
            try tables.store(peak, id: ledger.id)
        }
    }
}
