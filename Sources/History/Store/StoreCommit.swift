import Wire

/// One commit of rows, settings and roles: reads what the decisions need with the devices locked, decides row by row, and
/// writes what has changed.
///
/// A row is a state, so the greater revision wins. Its difference from the row that it replaces goes to its day and its
/// device, which therefore are right in whatever order and however often rows come.
struct StoreCommit {
    /// A device during the commit.
    struct Device {
        let id: Int64
        var record: DeviceRecord
        var days: DayAggregator
        /// Minutes whose rows are refused, because they were erased.
        var erased: RangeSet<Int64>
        let countsBefore: Counts
        var hasChanged = false
    }

    private struct MinuteKey: Hashable {
        var device: Int64
        var minute: Int64
        var epoch: Int64
    }

    private struct StoredMinute {
        var revision: Int64
        var sum: CountSum
        var isChanged = false
    }

    static let minutes = SQLTable(
        name: "minutes", key: ["device", "minute", "epoch"], columns: ["revision"] + CountSum.columns,
        keepsNewest: true)

    let session: any SQLSession
    private let defaultZone: DayCalendar
    private let nowMinute: Int64
    var outcome = CommitOutcome()
    var devices: [Device] = []
    var indices: [DeviceID: Int] = [:]
    private var rows: [MinuteKey: StoredMinute] = [:]
    /// The days of UTC whose claims may be others now, by device.
    var dueDays: [Int: RangeSet<Int64>] = [:]
    /// The words of a device that begin in a day.
    var wordCounts: [WordsDay: Int64] = [:]

    init(_ session: any SQLSession, defaultZone: DayCalendar, nowMinute: Int64) {
        self.session = session
        self.defaultZone = defaultZone
        self.nowMinute = nowMinute
    }

    /// Keeps rows, chains, settings and roles.
    mutating func apply(_ changes: HistoryChanges, maximumDevices: Int) throws -> CommitOutcome {
        try load(changes, maximumDevices: maximumDevices)
        for change in changes.settings { try apply(change) }
        try loadMinutes(changes.rows)
        try loadDays(changes.rows.map { ($0.device, $0.minute) })
        for row in changes.rows { apply(row) }
        try writeMinutes()
        try keep(changes.words)
        try writeDueDays()
        try writeTotals()
        try removeEmptied(changes.settings)
        try write(changes.cursors)
        outcome.changedRoles = try HistoryStore.keep(changes.roles, maximum: maximumDevices, session)
        return outcome
    }

    /// Takes the counts of rows that are being erased off their days and their device.
    mutating func takeOff(_ erased: [(minute: Int64, counts: Counts)], of device: DeviceID) throws {
        try load([device])
        guard let index = indices[device] else { return }
        devices[index].days.forgetsPublished = true
        devices[index].record.published = nil
        try loadDays(erased.map { (device, $0.minute) })
        for (minute, counts) in erased { add(Counts() - counts, toMinute: minute, revision: 0, of: index) }
        try writeTotals()
    }

    // MARK: - Reading

    private mutating func load(_ changes: HistoryChanges, maximumDevices: Int) throws {
        let named = Set(
            changes.settings.map(\.device) + changes.rows.map(\.device) + changes.words.map(\.device))
        // A config that is taken back makes no device known, and neither does a row that was emptied.
        let telling = Set(
            changes.settings.lazy.filter { $0.settings != nil }.map(\.device)
                + changes.rows.lazy.filter { !$0.isEmpty }.map(\.device) + changes.words.map(\.device))
        // The lock of newcomers comes before those of devices, here as in forgetting: no two wait for each other.
        let known = Set(
            zip(
                telling.sorted(),
                try session.execute(
                    telling.sorted().map { SQLStatement("SELECT 1 FROM devices WHERE name = $1", [.text("\($0)")]) })
            ).compactMap { device, result in result.rows.isEmpty ? nil : device })
        if telling != known { try session.lock(.newcomers) }
        try load(named.sorted())
        var seen: Set<DeviceID> = []
        let newcomers = (changes.settings.map(\.device) + changes.rows.map(\.device) + changes.words.map(\.device))
            .filter { telling.contains($0) && indices[$0] == nil && seen.insert($0).inserted }
        guard !newcomers.isEmpty else { return }
        let room = max(0, Int64(maximumDevices) - (try session.number("SELECT count(*) FROM devices") ?? 0))
        _ = try session.execute(
            newcomers.prefix(Int(clamping: room)).map {
                SQLStatement("INSERT INTO devices (name) VALUES ($1) ON CONFLICT (name) DO NOTHING", [.text("\($0)")])
            })
        try load(newcomers.sorted())
    }

    /// Locks devices in the order of their names, so that no two commits wait for each other, and reads them.
    mutating func load(_ names: [DeviceID]) throws {
        let found = try session.execute(
            names.map { SQLStatement(DeviceRecord.byName + session.forUpdate, [.text("\($0)")]) })
        let erased = try session.execute(
            names.map {
                SQLStatement("SELECT from_minute, to_minute FROM erasures WHERE device = $1", [.text("\($0)")])
            })
        for (result, ranges) in zip(found, erased) {
            guard let row = result.rows.first, let (id, record) = try DeviceRecord.read(row) else { continue }
            let calendar = DayCalendar(record.settings, defaultZone: defaultZone)
            indices[record.device] = devices.count
            devices.append(
                Device(
                    id: id, record: record, days: DayAggregator(calendar: calendar),
                    erased: RangeSet(
                        try ranges.rows.read { row in
                            let (start, end) = (try row.int(), try row.int())
                            return start..<max(start, end)
                        }), countsBefore: record.counts))
        }
    }

    private mutating func loadMinutes(_ rows: [MinuteTotals]) throws {
        var keys: Set<MinuteKey> = []
        for row in rows {
            if let index = indices[row.device] { keys.insert(key(of: row, index)) }
        }
        let wanted = Array(keys)
        let columns = (["revision"] + CountSum.columns).joined(separator: ", ")
        let found = try session.find(columns, in: Self.minutes, wanted.map { [$0.device, $0.minute, $0.epoch] })
        for (key, row) in zip(wanted, found) {
            guard var row else { continue }
            self.rows[key] = StoredMinute(revision: try row.int(), sum: try CountSum(&row))
        }
    }

    mutating func loadDays(_ minutes: [(device: DeviceID, minute: Int64)]) throws {
        var wanted: Set<[Int64]> = []
        var owners: [Int64: Int] = [:]
        for (device, minute) in minutes {
            guard let index = indices[device] else { continue }
            for date in devices[index].days.takeDatesNeeded(forMinute: minute) {
                wanted.insert([devices[index].id, Int64(date.dayNumber)])
                owners[devices[index].id] = index
            }
        }
        let keys = Array(wanted)
        for (key, row) in zip(keys, try session.find(DayRecord.columns, in: DayRecord.table, keys)) {
            guard var row, let index = owners[key[0]] else { continue }
            devices[index].days.insert(try DayRecord(&row))
        }
    }

    private func key(of row: MinuteTotals, _ index: Int) -> MinuteKey {
        MinuteKey(device: devices[index].id, minute: row.minute, epoch: Int64(bitPattern: row.epoch))
    }

    // MARK: - Deciding

    private mutating func apply(_ row: MinuteTotals) {
        guard let index = indices[row.device] else {
            if row.isEmpty { outcome.repeatedRows += 1 } else { outcome.refusedRows += 1 }
            return
        }
        guard row.minute >= devices[index].record.compactedMinute else { return outcome.lateRows += 1 }
        guard !devices[index].erased.contains(row.minute) else {
            return outcome.erasedRows += 1
        }
        let (key, revision) = (key(of: row, index), Int64(clamping: row.revision))
        let old = rows[key]
        guard old.map({ $0.revision < revision }) ?? !row.isEmpty else { return outcome.repeatedRows += 1 }
        let sum = CountSum(row)
        rows[key] = StoredMinute(revision: revision, sum: sum, isChanged: true)
        let change = sum.counts - (old?.sum.counts ?? Counts())
        add(change, toMinute: row.minute, revision: revision, of: index)
        outcome.appliedRows += 1
        // Of what samples cover words claim nothing.
        if change.coveredMilliseconds != 0, row.minute < devices[index].record.wordsEndMinute {
            noteDue(row.minute..<row.minute + 1, index)
        }
    }

    mutating func add(_ change: Counts, toMinute minute: Int64, revision: Int64, of index: Int) {
        devices[index].days.add(change, toMinute: minute, revision: revision)
        var record = devices[index].record
        if change != Counts() {
            record.counts += change
            record.revision = max(record.revision + (devices[index].hasChanged ? 0 : 1), revision)
        }
        record.firstMinute = min(record.firstMinute ?? minute, minute)
        record.lastMinute = max(record.lastMinute ?? minute, minute)
        devices[index].record = record
        devices[index].hasChanged = true
    }

    /// Settings: days that are over stay as they are, the others are made again in the new zone. Rows come after the
    /// settings of a commit, so the store has every row that these days are made of.
    private mutating func apply(_ change: SettingsChange) throws {
        guard let index = indices[change.device] else {
            if change.settings != nil { outcome.refusedRows += 1 }
            return
        }
        let before = devices[index].days.calendar
        let settings = change.settings ?? DeviceSettings()
        // The broker sends every retained config again at each subscription.
        guard devices[index].record.settings != settings else { return }
        devices[index].record.settings = settings
        try session.change(
            """
            UPDATE devices SET kind = $2, placement = $3, zone = $4, day_start_min = $5, knows_step_length = $6,
            knows_revolution_length = $7, person = $8 WHERE id = $1
            """,
            [
                .int(devices[index].id), .text(settings.kind), .text(settings.placement), .text(settings.zone),
                .int(Int64(settings.dayStartMinutes)), .bool(settings.knowsStepLength),
                .bool(settings.knowsRevolutionLength), .text(settings.person),
            ])
        let known = try Assignment.all(of: change.device, session)
        if let all = DeviceOwnership.naming(settings.person, for: change.device, at: nowMinute, in: known) {
            try Assignment.replace(of: change.device, with: all, session)
        }
        outcome.changedDevices.insert(change.device)
        let after = DayCalendar(settings, defaultZone: defaultZone)
        guard before.zone != after.zone || before.dayStartMinutes != after.dayStartMinutes else { return }
        try remakeOpenDays(index, in: after)
    }

    private mutating func remakeOpenDays(_ index: Int, in calendar: DayCalendar) throws {
        let (id, device) = (devices[index].id, devices[index].record.device)
        let removed = try session.query(
            "DELETE FROM days WHERE device = $1 AND end_minute > $2 RETURNING \(DayRecord.columns)",
            [.int(id), .int(nowMinute)]
        ).read { try DayRecord(&$0) }
        devices[index].days = DayAggregator(calendar: calendar)
        devices[index].days.baseRevision = removed.map(\.revision).max() ?? 0
        for day in removed { devices[index].days.notePublished(day) }
        guard let start = removed.map(\.minutes.lowerBound).min() else { return }
        let rows = try session.query(
            """
            SELECT minute, revision, \(Counts.columns.joined(separator: ", ")) FROM minutes
            WHERE device = $1 AND minute >= $2 ORDER BY minute, epoch
            """, [.int(id), .int(start)]
        ).read { row in
            (minute: try row.int(), revision: try row.int(), counts: try Counts(&row))
        }
        try loadDays(rows.map { (device, $0.minute) })
        for row in rows { devices[index].days.add(row.counts, toMinute: row.minute, revision: row.revision) }
        try session.upsert(devices[index].days.changedDays.map { $0.values(device: id) }, into: DayRecord.table)
    }

    // MARK: - Writing

    private func writeMinutes() throws {
        let changed = rows.filter(\.value.isChanged).map { key, row in
            [.int(key.device), .int(key.minute), .int(key.epoch), .int(row.revision)] + row.sum.values
        }
        try session.upsert(changed, into: Self.minutes)
    }

    mutating func writeTotals() throws {
        var totals: [[SQLValue]] = []
        var days: [[SQLValue]] = []
        for device in devices where device.hasChanged {
            var record = device.record
            if !device.days.forgetsPublished {
                record.published = record.counts.published(after: device.countsBefore, record.published)
            }
            outcome.changedDevices.insert(record.device)
            totals.append(record.totalValues)
            days += device.days.changedDays.map { $0.values(device: device.id) }
        }
        try session.upsert(days, into: DayRecord.table)
        try session.upsert(totals, into: DeviceRecord.totals)
    }

    /// Removes devices whose config was taken back and that never counted anything: nothing is known of them any more.
    private mutating func removeEmptied(_ changes: [SettingsChange]) throws {
        let emptied = Set(changes.filter { $0.settings == nil }.map(\.device))
        for index in devices.indices
        where emptied.contains(devices[index].record.device) && devices[index].record.settings == DeviceSettings()
            && devices[index].record.firstMinute == nil
        {
            try session.change("DELETE FROM days WHERE device = $1", [.int(devices[index].id)])
            try session.change("DELETE FROM devices WHERE id = $1", [.int(devices[index].id)])
            outcome.changedDevices.insert(devices[index].record.device)
        }
    }

    /// A chain's position never goes back.
    private func write(_ cursors: [ChainCursor]) throws {
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
