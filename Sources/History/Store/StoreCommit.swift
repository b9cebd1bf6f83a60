import Wire

/// One commit of rows, settings and roles: reads what the decisions need, decides row by row, merges the minutes of people, and writes what has changed.
///
/// A row is a state, so the greater revision wins. Its difference from the row that it replaces goes to its day and its
/// device, which therefore are right in whatever order and however often rows come.
struct StoreCommit {
    /// A device or a person during the commit.
    struct Entry {
        let id: Int64
        var record: SubjectRecord
        var days: DayAggregator
        /// Minutes whose rows are refused, because they were erased.
        var erased: RangeSet<Int64>
        let countsBefore: Counts
        var hasChanged = false
    }

    private struct MinuteKey: Hashable {
        var subject: Int64
        var minute: Int64
        var epoch: Int64
    }

    private struct StoredMinute {
        var revision: Int64
        var sum: CountSum
        /// A packed `Trace` of a device; a person's follows from those of the devices.
        var trace: [UInt8] = []
        var isChanged = false
    }

    static let minutes = SQLTable(
        name: "minutes", key: ["subject", "minute", "epoch"], columns: ["revision"] + CountSum.columns + ["trace"],
        keepsNewest: true)

    let session: any SQLSession
    let defaultZone: DayCalendar
    let nowMinute: Int64
    private let maximumSubjects: Int
    let watch: CommitWatch?
    var outcome = CommitOutcome()
    var entries: [Entry] = []
    var indices: [Subject: Int] = [:]
    private var rows: [MinuteKey: StoredMinute] = [:]
    /// The days of UTC whose claims may be others now, by device.
    var dueDays: [Int: RangeSet<Int64>] = [:]
    /// The words of a device that begin in a day.
    var wordCounts: [WordsDay: Int64] = [:]
    /// The days below the mark of a compaction that were asked about, by the number of the device or person.
    private var oldDays: [Int64: [(minutes: Range<Int64>, isSummed: Bool)]] = [:]
    /// The minutes of devices that have changed, for the people who had them.
    var touched: [DeviceID: Set<Int64>] = [:]

    init(
        _ session: any SQLSession, defaultZone: DayCalendar, nowMinute: Int64, maximumSubjects: Int = .max,
        watch: CommitWatch? = nil
    ) {
        self.session = session
        self.defaultZone = defaultZone
        self.nowMinute = nowMinute
        self.maximumSubjects = maximumSubjects
        self.watch = watch
    }

    /// Keeps rows, chains, settings and roles.
    mutating func apply(_ changes: HistoryChanges) throws -> CommitOutcome {
        try load(changes)
        for change in changes.settings { try apply(change) }
        try loadMinutes(changes.rows)
        try loadDays(changes.rows.map { (.device($0.device), $0.minute) })
        for row in changes.rows {
            watch?.begin(row)
            try apply(row)
        }
        watch?.begin()
        try writeMinutes()
        try keep(changes.words)
        try settleDueDays()
        try mergeTouched()
        try writeTotals()
        try removeEmptied(changes.settings)
        try write(changes.cursors)
        try keep(changes.marks)
        outcome.changedRoles = try HistoryStore.keep(changes.roles, maximum: maximumSubjects, session)
        return outcome
    }

    // MARK: - Reading

    private mutating func load(_ changes: HistoryChanges) throws {
        let named = Set(
            changes.settings.map(\.device) + changes.rows.map(\.device) + changes.words.map(\.device)
                + changes.marks.compactMap(\.subject.device))
        // A config that is taken back makes no device known, and neither does a row that was emptied.
        let telling = Set(
            changes.settings.lazy.filter { $0.settings != nil }.map(\.device)
                + changes.rows.lazy.filter { !$0.isEmpty }.map(\.device) + changes.words.map(\.device)
                + changes.marks.compactMap(\.subject.device)
        ).map { Subject.device($0) }.sorted()
        try load(named.map { .device($0) }.sorted())
        try loadNewcomers(telling)
    }

    /// Makes rows for those that have none, as far as there is room, and reads them.
    mutating func loadNewcomers(_ subjects: [Subject]) throws {
        let newcomers = subjects.filter { indices[$0] == nil }
        guard let first = newcomers.first else { return }
        let known = try session.number(
            "SELECT count(*) FROM subjects WHERE is_person = $1", [.bool(first.isPerson)])
        _ = try session.execute(
            newcomers.prefix(max(0, maximumSubjects - Int(clamping: known ?? 0))).map {
                SQLStatement(
                    "INSERT INTO subjects (is_person, name) VALUES ($1, $2) ON CONFLICT (is_person, name) DO NOTHING",
                    $0.key)
            })
        try load(newcomers.sorted())
        outcome.changedSubjects.formUnion(newcomers.filter { indices[$0] != nil })
    }

    /// Reads subjects.
    mutating func load(_ subjects: [Subject]) throws {
        let found = try session.execute(
            subjects.map { SQLStatement(SubjectRecord.byName, $0.key) })
        let erased = try session.execute(
            subjects.map {
                SQLStatement(
                    "SELECT from_minute, to_minute FROM erasures WHERE device = $1",
                    [.text($0.device.map { "\($0)" })])
            })
        for (result, ranges) in zip(found, erased) {
            guard let row = result.rows.first, let (id, record) = try SubjectRecord.read(row) else { continue }
            let calendar = DayCalendar(record.settings, defaultZone: defaultZone)
            var days = DayAggregator(calendar: calendar)
            days.mayFall = record.subject.isPerson
            indices[record.subject] = entries.count
            entries.append(
                Entry(
                    id: id, record: record, days: days,
                    erased: RangeSet(
                        try ranges.rows.read { row in
                            let (start, end) = (try row.int(), try row.int())
                            return start..<max(start, end)
                        }), countsBefore: record.counts))
        }
    }

    private mutating func loadMinutes(_ rows: [MinuteRow]) throws {
        var keys: Set<MinuteKey> = []
        for row in rows {
            if let index = indices[.device(row.device)] { keys.insert(key(of: row, index)) }
        }
        let wanted = Array(keys)
        let columns = (["revision"] + CountSum.columns).joined(separator: ", ")
        let found = try session.find(columns, in: Self.minutes, wanted.map { [$0.subject, $0.minute, $0.epoch] })
        for (key, row) in zip(wanted, found) {
            guard var row else { continue }
            self.rows[key] = StoredMinute(revision: try row.int(), sum: try CountSum(&row))
        }
    }

    mutating func loadDays(_ minutes: [(subject: Subject, minute: Int64)]) throws {
        var dates: [(index: Int, date: LocalDate)] = []
        for (subject, minute) in minutes {
            guard let index = indices[subject] else { continue }
            for date in entries[index].days.takeDatesNeeded(forMinute: minute) { dates.append((index, date)) }
        }
        try loadDays(dates)
    }

    mutating func loadDays(_ dates: [(index: Int, date: LocalDate)]) throws {
        var wanted: Set<[Int64]> = []
        var owners: [Int64: Int] = [:]
        for (index, date) in dates {
            wanted.insert([entries[index].id, Int64(date.dayNumber)])
            owners[entries[index].id] = index
        }
        let keys = Array(wanted)
        for (key, row) in zip(keys, try session.find(DayRecord.columns, in: DayRecord.table, keys)) {
            guard var row, let index = owners[key[0]] else { continue }
            entries[index].days.insert(try DayRecord(&row))
        }
    }

    private func key(of row: MinuteRow, _ index: Int) -> MinuteKey {
        MinuteKey(subject: entries[index].id, minute: row.minute, epoch: Int64(bitPattern: row.epoch))
    }

    // MARK: - Deciding

    private mutating func apply(_ row: MinuteRow) throws {
        guard let index = indices[.device(row.device)] else {
            if row.isEmpty { outcome.repeatedRows += 1 } else { outcome.refusedRows += 1 }
            return
        }
        if row.minute < entries[index].record.compactedMinute,
            try isGone(row.minute, of: entries[index].id, in: entries[index].days.calendar)
        {
            return outcome.late[row.device, default: 0] += 1
        }
        guard !entries[index].erased.contains(row.minute) else {
            return outcome.erasedRows += 1
        }
        let (key, revision) = (key(of: row, index), Int64(clamping: row.revision))
        let old = rows[key]
        guard old.map({ $0.revision < revision }) ?? !row.isEmpty else { return outcome.repeatedRows += 1 }
        let sum = CountSum(row)
        let trace = row.minute >= entries[index].record.tracesMinute ? row.trace : []
        rows[key] = StoredMinute(revision: revision, sum: sum, trace: trace, isChanged: true)
        let change = sum.counts - (old?.sum.counts ?? Counts())
        add(change, toMinute: row.minute, revision: revision, of: index)
        touched[row.device, default: []].insert(row.minute)
        outcome.appliedRows += 1
        // Of what samples cover words claim nothing.
        if change.coveredMilliseconds != 0, row.minute < entries[index].record.wordsEndMinute {
            noteDue(row.minute..<row.minute + 1, index)
        }
    }

    /// Whether sums have taken the place of the day of a minute below the mark of a compaction, so that what was counted of it
    /// is no longer known. A day that came to be known after the compaction keeps its minutes.
    mutating func isGone(_ minute: Int64, of id: Int64, in calendar: DayCalendar) throws -> Bool {
        if let day = oldDays[id]?.first(where: { $0.minutes.contains(minute) }) { return day.isSummed }
        let day = try DayRecord.containing(minute, of: id, session)?.minutes
        let minutes = day ?? calendar.minutes(of: calendar.date(ofMinute: minute))
        let sums = try session.number(
            "SELECT 1 FROM minutes WHERE subject = $1 AND minute >= $2 AND minute < $3 AND revision = 0 LIMIT 1",
            [.int(id), .int(minutes.lowerBound), .int(minutes.upperBound)])
        oldDays[id, default: []].append((minutes, sums != nil))
        return sums != nil
    }

    mutating func add(_ change: Counts, toMinute minute: Int64, revision: Int64, of index: Int) {
        let change = change.only(Amount.ofDays)
        entries[index].days.add(change, toMinute: minute, revision: revision)
        var record = entries[index].record
        if change != Counts() {
            record.counts += change
            record.revision = max(record.revision + (entries[index].hasChanged ? 0 : 1), revision)
        }
        record.firstMinute = min(record.firstMinute ?? minute, minute)
        record.lastMinute = max(record.lastMinute ?? minute, minute)
        entries[index].record = record
        entries[index].hasChanged = true
    }

    /// Settings: days that are over stay as they are, the others are made again in the new zone. Rows come after the
    /// settings of a commit, so the store has every row that these days are made of.
    private mutating func apply(_ change: SettingsChange) throws {
        let subject = Subject.device(change.device)
        guard let index = indices[subject] else {
            if change.settings != nil { outcome.refusedRows += 1 }
            return
        }
        let record = entries[index].record
        let settings = change.settings ?? DeviceSettings()
        // The broker sends every retained config again at each subscription.
        guard record.settings != settings else { return }
        entries[index].record.settings = settings
        try session.upsert([entries[index].record.settingsValues], into: SubjectRecord.settings)
        try setOwner(record, settings)
        outcome.changedSubjects.insert(subject)
        let before = entries[index].days.calendar
        let after = DayCalendar(settings, defaultZone: defaultZone)
        guard before != after else { return }
        try remakeOpenDays(index, in: after)
    }

    /// The person that a config names has the device from now on; the first one that it ever names has always had it.
    /// What changes how people's devices are merged has their minutes merged again.
    private func setOwner(_ record: SubjectRecord, _ settings: DeviceSettings) throws {
        guard let device = record.subject.device else { return }
        if record.settings.person != settings.person {
            let hasNamed = try session.number(
                "SELECT 1 FROM assignments WHERE device = $1 AND origin = $2 LIMIT 1",
                [.text("\(device)"), .int(Int64(Assignment.Origin.config.rawValue))])
            // Of a bike with thousands of check-ins nearly all are over.
            let start = hasNamed == nil ? Assignment.always : min(nowMinute, Assignment.forGood - 1)
            let known = try Assignment.all(of: device, in: start..<Assignment.forGood, session)
            if let all = DeviceOwnership.naming(settings.person, for: device, at: start, in: known) {
                try Assignment.replace(known, of: record, with: all, session)
            }
        }
        var merged = settings
        merged.person = record.settings.person
        guard merged != record.settings else { return }
        try Self.queueMerge(Assignment.owners(of: device, in: DayCalendar.minutes, session), of: record, session)
    }

    /// Makes the days that are not over again in another calendar.
    mutating func remakeOpenDays(_ index: Int, in calendar: DayCalendar) throws {
        let (id, subject) = (entries[index].id, entries[index].record.subject)
        try session.upsert(entries[index].days.changedDays.map { $0.values(subject: id) }, into: DayRecord.table)
        let removed = try session.query(
            "DELETE FROM days WHERE subject = $1 AND end_minute > $2 RETURNING \(DayRecord.columns)",
            [.int(id), .int(nowMinute)]
        ).read { try DayRecord(&$0) }
        entries[index].days = DayAggregator(calendar: calendar)
        entries[index].days.mayFall = subject.isPerson
        entries[index].days.baseRevision = removed.map(\.revision).max() ?? 0
        for day in removed { entries[index].days.notePublished(day) }
        guard let start = removed.map(\.minutes.lowerBound).min() else { return }
        let rows = try session.query(
            """
            SELECT minute, revision, \(Counts.columns.joined(separator: ", ")) FROM minutes
            WHERE subject = $1 AND minute >= $2 ORDER BY minute, epoch
            """, [.int(id), .int(start)]
        ).read { row in
            (minute: try row.int(), revision: try row.int(), counts: try Counts(&row))
        }
        try loadDays(rows.map { (subject, $0.minute) })
        for row in rows { entries[index].days.add(row.counts, toMinute: row.minute, revision: row.revision) }
        try session.upsert(entries[index].days.changedDays.map { $0.values(subject: id) }, into: DayRecord.table)
    }

    /// Keeps marks of devices for which there is room, but for minutes that were erased or are gone for their age.
    private mutating func keep(_ marks: [MarkRow]) throws {
        for row in marks {
            guard let index = indices[row.subject] else {
                outcome.refusedRows += 1
                continue
            }
            let minute = row.mark.second / 60
            if entries[index].erased.contains(minute) {
                outcome.erasedRows += 1
            } else if try row.keep(session) {
                outcome.markedSubjects.insert(row.subject)
                guard let device = row.subject.device else { continue }
                let owners = try Assignment.owners(of: device, in: minute..<minute + 1, session)
                outcome.markedSubjects.formUnion(owners.map { .person($0.person) })
            } else {
                outcome.refusedRows += 1
            }
        }
    }

    // MARK: - Writing

    func writeMinutes() throws {
        let changed = rows.filter(\.value.isChanged).map { key, row in
            [.int(key.subject), .int(key.minute), .int(key.epoch), .int(row.revision)] + row.sum.values
                + [.bytes(row.trace.isEmpty ? nil : row.trace)]
        }
        try session.upsert(changed, into: Self.minutes)
    }

    mutating func writeTotals() throws {
        var totals: [[SQLValue]] = []
        var days: [[SQLValue]] = []
        for entry in entries where entry.hasChanged {
            var record = entry.record
            if !entry.days.mayFall {
                record.published = record.counts.published(after: entry.countsBefore, record.published)
            }
            outcome.changedSubjects.insert(record.subject)
            let moved = record.counts - entry.countsBefore
            if moved.steps != 0 || moved.revolutions != 0 { outcome.movedSubjects.insert(record.subject) }
            totals.append(record.totalValues)
            days += entry.days.changedDays.map { $0.values(subject: entry.id) }
        }
        try session.upsert(days, into: DayRecord.table)
        try session.upsert(totals, into: SubjectRecord.totals)
    }

    /// Removes devices whose config was taken back and that never counted anything: nothing is known of them any more.
    private mutating func removeEmptied(_ changes: [SettingsChange]) throws {
        let emptied = Set(changes.filter { $0.settings == nil }.map(\.device))
        for entry in entries
        where entry.record.device.map({ emptied.contains($0) }) ?? false
            && entry.record.settings == DeviceSettings() && entry.record.firstMinute == nil
            && entry.record.wordsEndMinute == 0
        {
            try HistoryStore.remove(entry.record.subject, entry.id, session)
            outcome.changedSubjects.insert(entry.record.subject)
        }
    }
}
