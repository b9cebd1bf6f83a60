import Wire

/// People's minutes, merged from those of the devices that they had: in the commit that changes a device's minute, and
/// from a queue where it changed whose a device was.
///
/// The minutes of a person are the person's own: when those of a device go for their age, or because somebody else is
/// erased, the person keeps them.
extension StoreCommit {
    /// A person has one row a minute, whatever lives of the counters' stores it comes from.
    private static let personEpoch: Int64 = 0
    /// The most devices of one person in one minute that are looked at.
    private static let maximumSources = 32

    /// A device that a person has for some of a stretch of time.
    private struct Source {
        var id: Int64
        var device: DeviceID
        var settings: DeviceSettings
        /// The minute before which its minutes are gone.
        var compactedMinute: Int64
        /// Whose it is.
        var owners: [Assignment] = []
    }

    /// Merges the minutes of devices that have changed, for whom had the devices then.
    mutating func mergeTouched() throws {
        let devices = touched.keys.sorted()
        let results = try session.execute(
            devices.map { device in
                SQLStatement(
                    Assignment.ofDevice,
                    [
                        .text("\(device)"), .int(touched[device]?.min() ?? 0),
                        .int((touched[device]?.max() ?? -1) + 1),
                    ])
            })
        var wanted: [String: Set<Int64>] = [:]
        for (device, result) in zip(devices, results) where !result.rows.isEmpty {
            let owners = DeviceOwnership.owners(try result.rows.compactMap { try Assignment.read($0) })
            for minute in touched[device] ?? [] {
                guard let owner = owners.first(where: { $0.minutes.contains(minute) }) else { continue }
                wanted[owner.person, default: []].insert(minute)
            }
        }
        touched = [:]
        try merge(wanted)
    }

    /// Merges minutes of people again.
    private mutating func merge(_ wanted: [String: Set<Int64>]) throws {
        guard !wanted.isEmpty else { return }
        let people = wanted.keys.map { Subject.person($0) }.sorted()
        try load(people.filter { indices[$0] == nil })
        try loadNewcomers(people)
        for person in people {
            guard let index = indices[person] else {
                outcome.refusedRows += 1
                continue
            }
            try merge(wanted[person.name]?.sorted() ?? [], of: index)
            try removeIfEmpty(index)
        }
    }

    private mutating func merge(_ minutes: [Int64], of index: Int) throws {
        let (id, subject) = (entries[index].id, entries[index].record.subject)
        let (mark, calendar) = (entries[index].record.compactedMinute, entries[index].days.calendar)
        let asked = try minutes.filter { try $0 >= mark || !isGone($0, of: id, in: calendar) }
        guard let first = asked.first, let last = asked.last else { return }
        let sources = try sources(of: subject.name, in: first..<last + 1)
        // A minute that one of the devices has no more stays as it was merged.
        let merged = try asked.compactMap { minute -> (minute: Int64, sources: [Source])? in
            let present = Self.present(sources, for: subject.name, at: minute)
            let lacksOne = try present.contains { source in
                guard minute < source.compactedMinute else { return false }
                return try isGone(
                    minute, of: source.id, in: DayCalendar(source.settings, defaultZone: defaultZone))
            }
            return lacksOne ? nil : (minute, present)
        }
        var found = try TracedMinute.all(
            merged.flatMap { row in row.sources.map { ($0.id, row.minute..<row.minute + 1) } }, session
        ).makeIterator()
        let old = try session.find(
            Self.minutes.columns.joined(separator: ", "), in: Self.minutes,
            merged.map { [id, $0.minute, Self.personEpoch] })
        var results: [PersonRow] = []
        for (place, old) in zip(merged, old) {
            var (counted, zone): ([PersonMinute.Source], DeviceSettings?) = ([], nil)
            for source in place.sources {
                guard let minute = found.next()?.first, minute.sum != CountSum() else { continue }
                counted.append(
                    PersonMinute.Source(
                        kind: DeviceKind(rawValue: source.settings.kind) ?? .unknown, sum: minute.sum,
                        trace: minute.trace ?? Trace()))
                if zone == nil, source.settings.zone != nil { zone = source.settings }
            }
            var (revision, before): (Int64, PersonMinute) = (0, PersonMinute())
            if var old {
                (revision, before.sum) = (try old.int(), try CountSum(&old))
                before.trace = try old.optionalBytes() ?? []
            }
            results.append(
                PersonRow(
                    minute: place.minute, revision: revision, before: before, after: PersonMinute(counted), zone: zone))
        }
        try setZone(of: index, by: results)
        try keep(results.filter { $0.after.values != $0.before.values }, of: index)
    }

    /// A minute of a person, before and after it was merged.
    private struct PersonRow {
        var minute: Int64
        var revision: Int64
        var (before, after): (PersonMinute, PersonMinute)
        /// Of the first device whose zone is known.
        var zone: DeviceSettings?
    }

    /// The devices that a person had in some of these minutes. Of one whose config names the person, with all whom it
    /// belonged to.
    private func sources(of person: String, in range: Range<Int64>) throws -> [Source] {
        let rows = try session.query(
            """
            SELECT \(Assignment.columns), known.id, kind, placement, zone, day_start_min, compacted_minute
            FROM (
                SELECT * FROM assignments WHERE person = $1 AND to_minute > $2 AND from_minute < $3
                UNION SELECT * FROM assignments WHERE to_minute > $2 AND from_minute < $3 AND device IN (
                    SELECT device FROM assignments
                    WHERE person = $1 AND origin = $5 AND to_minute > $2 AND from_minute < $3)
            ) AS owned JOIN subjects AS known ON known.is_person = $4 AND known.name = owned.device
            ORDER BY owned.device, owned.from_minute, owned.id
            """,
            [
                .text(person), .int(range.lowerBound), .int(range.upperBound), .bool(false),
                .int(Int64(Assignment.Origin.config.rawValue)),
            ])
        var sources: [Source] = []
        for var row in rows {
            guard let assignment = try Assignment(&row) else { continue }
            if sources.last?.device != assignment.device {
                let id = try row.int()
                var settings = DeviceSettings(kind: try row.text())
                (settings.placement, settings.zone) = (try row.optionalText(), try row.optionalText())
                settings.dayStartMinutes = Int(clamping: try row.int())
                sources.append(
                    Source(id: id, device: assignment.device, settings: settings, compactedMinute: try row.int()))
            }
            sources[sources.count - 1].owners.append(assignment)
        }
        for index in sources.indices { sources[index].owners = DeviceOwnership.owners(sources[index].owners) }
        return sources
    }

    /// The devices that a person had in a minute, in their order.
    private static func present(_ sources: [Source], for person: String, at minute: Int64) -> [Source] {
        let present = sources.compactMap { source -> (rank: Int, source: Source)? in
            guard let owner = source.owners.first(where: { $0.minutes.contains(minute) }), owner.person == person
            else { return nil }
            return (PersonMinute.rank(of: source.settings.placement), source)
        }
        return present.sorted { ($0.rank, $0.source.device) < ($1.rank, $1.source.device) }
            .prefix(maximumSources).map(\.source)
    }

    // MARK: - Keeping

    /// A person's zone is that of the last minute: its days that are not over follow it, as a device's do.
    private mutating func setZone(of index: Int, by rows: [PersonRow]) throws {
        let known = entries[index].record
        guard let last = rows.last(where: { $0.zone != nil }), let zone = last.zone,
            last.minute >= known.lastMinute ?? last.minute,
            zone.zone != known.settings.zone || zone.dayStartMinutes != known.settings.dayStartMinutes
        else { return }
        entries[index].record.settings.zone = zone.zone
        entries[index].record.settings.dayStartMinutes = zone.dayStartMinutes
        try session.upsert([entries[index].record.settingsValues], into: SubjectRecord.settings)
        try remakeOpenDays(index, in: DayCalendar(entries[index].record.settings, defaultZone: defaultZone))
        outcome.changedSubjects.insert(known.subject)
    }

    /// Writes minutes of a person; a new day is one of the zone that its first minute was counted in.
    private mutating func keep(_ rows: [PersonRow], of index: Int) throws {
        let id = entries[index].id
        let own = DayCalendar(entries[index].record.settings, defaultZone: defaultZone)
        let calendars = rows.map { $0.zone.map { DayCalendar($0, defaultZone: defaultZone) } ?? own }
        var dates: [LocalDate] = []
        for (row, calendar) in zip(rows, calendars) {
            entries[index].days.calendar = calendar
            dates += entries[index].days.takeDatesNeeded(forMinute: row.minute)
        }
        try loadDays(dates.map { (index, $0) })
        for (row, calendar) in zip(rows, calendars) {
            entries[index].days.calendar = calendar
            add(row.after.sum.counts - row.before.sum.counts, toMinute: row.minute, revision: 0, of: index)
        }
        let kept = rows.filter { $0.after != PersonMinute() }
        try session.upsert(
            kept.map { [.int(id), .int($0.minute), .int(Self.personEpoch), .int($0.revision + 1)] + $0.after.values },
            into: Self.minutes)
        _ = try session.execute(
            rows.filter { $0.after == PersonMinute() }.map {
                SQLStatement(
                    "DELETE FROM minutes WHERE subject = $1 AND minute = $2", [.int(id), .int($0.minute)])
            })
    }

    /// Takes a person away of whom nothing is left: whose devices were somebody else's after all.
    private mutating func removeIfEmpty(_ index: Int) throws {
        let entry = entries[index]
        guard entry.record.counts == Counts(),
            try session.query("SELECT minute FROM minutes WHERE subject = $1 LIMIT 1", [.int(entry.id)]).isEmpty
        else { return }
        try HistoryStore.remove(entry.record.subject, entry.id, session)
        entries[index].hasChanged = false
        indices[entry.record.subject] = nil
        outcome.changedSubjects.insert(entry.record.subject)
    }
}

// MARK: - What is due

extension StoreCommit {
    /// The minutes of a person that are merged in one transaction.
    private static let minutesATransaction: Int64 = 1440

    /// Has minutes made anew after the commit: a person's merged, a device's claimed by its words.
    static func due(_ minutes: Range<Int64>, of subject: Subject) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO due (is_person, name, from_minute, to_minute) VALUES ($1, $2, $3, $4)
            ON CONFLICT (is_person, name, from_minute, to_minute) DO NOTHING
            """, subject.key + [.int(minutes.lowerBound), .int(minutes.upperBound)])
    }

    static func isDue(before minute: Int64 = .max, _ session: any SQLSession) throws -> Bool {
        try session.number("SELECT 1 FROM due WHERE from_minute < $1 LIMIT 1", [.int(minute)]) != nil
    }

    /// Has some minutes of a device's people merged again.
    static func queueMerge(_ pieces: [Assignment], of record: SubjectRecord, _ session: any SQLSession) throws {
        guard let first = record.firstMinute, let last = record.lastMinute else { return }
        let kept = max(first, record.compactedMinute)..<max(first, record.compactedMinute, last + 1)
        _ = try session.execute(
            pieces.compactMap { piece in
                let minutes = piece.minutes.clamped(to: kept)
                return minutes.isEmpty ? nil : due(minutes, of: .person(piece.person))
            })
    }

    /// Makes the next minutes that are due, up to a day of one device or person.
    /// - Returns: Whether there were any.
    mutating func makeDue() throws -> Bool {
        guard
            var row = try session.query(
                "SELECT id, is_person, name, from_minute, to_minute FROM due ORDER BY id LIMIT 1"
            ).first
        else { return false }
        let (id, subject) = (try row.int(), try SubjectRecord.subject(&row))
        let (start, end) = (try row.int(), try row.int())
        try session.change("DELETE FROM due WHERE id = $1", [.int(id)])
        guard let subject else { return true }
        try load([subject])
        if let person = subject.person {
            let stop = try mergeSome(of: person, in: start..<max(start, end))
            if stop < end { _ = try session.execute([Self.due(stop..<end, of: subject)]) }
        } else if let index = indices[subject] {
            try settleWatched(start / Self.dayMinutes, index)
            watch?.begin()
            try mergeTouched()
        }
        try writeTotals()
        return true
    }

    /// Merges the first minutes of a stretch of time again, up to a day from where something is known of the person or of the
    /// devices.
    /// - Returns: The end of what is merged.
    private mutating func mergeSome(of person: String, in minutes: Range<Int64>) throws -> Int64 {
        let known = indices[.person(person)].map { entries[$0].id }
        let subjects = try sources(of: person, in: minutes).map(\.id) + (known.map { [$0] } ?? [])
        func find(_ what: String, in minutes: Range<Int64>) throws -> [Int64] {
            try session.execute(
                subjects.map {
                    SQLStatement(
                        "SELECT \(what) FROM minutes WHERE subject = $1 AND minute >= $2 AND minute < $3",
                        [.int($0), .int(minutes.lowerBound), .int(minutes.upperBound)])
                }
            ).flatMap { try $0.rows.read { try $0.optionalInt() } }
        }
        guard let next = try find("min(minute)", in: minutes).min() else { return minutes.upperBound }
        let stop = min(minutes.upperBound, next + Self.minutesATransaction)
        try merge([person: Set(find("DISTINCT minute", in: next..<stop))])
        return stop
    }
}

extension HistoryStore {
    /// Makes minutes that are due, up to some days of one device or person, each in a transaction.
    /// - Returns: The outcome; `nil` where nothing was due.
    package func makeDue(
        days: Int = 1, nowMinute: Int64, watch: CommitWatch? = nil
    ) async throws(HistoryError) -> CommitOutcome? {
        var all: CommitOutcome?
        let (defaultZone, maximumDevices) = (defaultZone, maximumDevices)
        for _ in 0..<days {
            // The usual case writes nothing.
            guard try await database.read(isSnapshot: false, { try StoreCommit.isDue($0) }) else { break }
            let outcome = try await database.write { session in
                var commit = StoreCommit(
                    session, defaultZone: defaultZone, nowMinute: nowMinute, maximumSubjects: maximumDevices,
                    watch: watch)
                return try commit.makeDue() ? commit.outcome : nil
            }
            guard let outcome else { break }
            all = all ?? CommitOutcome()
            all? += outcome
        }
        return all
    }
}
