import Wire

extension PostgresTables {
    /// Locks the devices of some changes, in the order of their names so that nobody waits in a circle, makes those
    /// that are new, and reads what the decisions need.
    mutating func load(_ changes: HistoryChanges, maximumDevices: Int, defaultZone: DayCalendar) throws {
        var seen: Set<DeviceID> = []
        let names = (changes.settings.map(\.device) + changes.rows.map(\.device)).filter { seen.insert($0).inserted }
        guard !names.isEmpty else { return }
        let newcomers = Set(changes.settings.map(\.device) + changes.rows.filter { !$0.isEmpty }.map(\.device))
        try makeDevices(names, newcomers, maximumDevices: maximumDevices)
        try loadMinutes(changes.rows)
        try loadDays(around: changes.rows, defaultZone: defaultZone)
        try loadPeaks()
    }

    /// Locks one device for a change that is not a commit of rows. Where there is none it is kept from coming to be,
    /// because what is kept by names must not change under it either.
    mutating func lock(_ device: DeviceID) throws {
        try lockDevices([device])
        guard devices.isEmpty else { return }
        try session.lock(.newcomers)
        try lockDevices([device])
    }

    private mutating func makeDevices(
        _ names: [DeviceID], _ newcomers: Set<DeviceID>, maximumDevices: Int
    ) throws {
        let found = try session.query(
            "SELECT name FROM devices WHERE name = ANY($1)", [.texts(names.map(\.description))]
        ).map { try $0.text(0) }
        let known = Set(found)
        let missing = names.filter(newcomers.contains).map(\.description).filter { !known.contains($0) }
        if !missing.isEmpty {
            try session.lock(.newcomers)
            try insert(missing, maximumDevices: maximumDevices)
        }
        try lockDevices(names)
        // Between the look and the lock it was forgotten.
        guard known.isSubset(of: devices.keys.map(\.description)) else {
            throw PostgresError.conflict("a device was forgotten at the same time", on: session)
        }
    }

    private func insert(_ names: [String], maximumDevices: Int) throws {
        let count = try session.query("SELECT count(*) FROM devices").first?.int(0) ?? 0
        let free = max(0, Int64(maximumDevices) - count)
        try session.execute(
            """
            INSERT INTO devices (name) SELECT name FROM unnest($1::text[]) WITH ORDINALITY AS wished (name, number)
            WHERE NOT EXISTS (SELECT 1 FROM devices WHERE devices.name = wished.name) ORDER BY number LIMIT $2
            """, [.texts(names), .int(free)])
    }

    private mutating func lockDevices(_ names: [DeviceID]) throws {
        let texts = PostgresValue.texts(names.map(\.description))
        let rows = try session.query(
            "SELECT \(DeviceRecord.columns) FROM devices WHERE name = ANY($1) ORDER BY name FOR UPDATE", [texts])
        for found in try rows.map({ try DeviceRecord.read($0) }) {
            if let found { devices[found.record.device] = found }
        }
        for name in names { leases[name] = nil }
        let leases = try session.query("SELECT \(LiveLease.columns) FROM leases WHERE device = ANY($1)", [texts])
        for lease in try leases.map({ try LiveLease($0) }) {
            if let lease { self.leases[lease.device, default: []].append(lease) }
        }
    }

    private mutating func loadMinutes(_ rows: [MinuteTotals]) throws {
        var keys: Set<MinuteKey> = []
        for row in rows {
            if let device = devices[row.device] { keys.insert(MinuteKey(row, id: device.id)) }
        }
        let wished = Array(keys)
        guard let first = wished.map(\.minute).min(), let last = wished.map(\.minute).max() else { return }
        // `OFFSET 0` has each wish looked up by the key. Where a month is new the planner knows nothing of its rows,
        // and once compared all of them with every wish.
        let found = try session.query(
            """
            SELECT \(Counts.columns), revision, wished.number
            FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) WITH ORDINALITY
                AS wished (device, minute, epoch, number)
            CROSS JOIN LATERAL (
                SELECT \(Counts.columns), revision FROM minutes WHERE device = wished.device
                AND minute = wished.minute AND epoch = wished.epoch AND minute BETWEEN $4 AND $5 OFFSET 0
            ) AS found
            """,
            [
                .ints(wished.map(\.id)), .ints(wished.map(\.minute)),
                .ints(wished.map { Int64(bitPattern: $0.epoch) }), .int(first), .int(last),
            ])
        let next = Counts.columnCount
        for (number, row) in try found.map({ row in
            (try row.int(next + 1), StoredMinute(revision: try row.int(next), counts: try Counts(row, from: 0)))
        }) {
            guard let index = Int(exactly: number - 1), wished.indices.contains(index) else { continue }
            minutes[wished[index]] = row
        }
    }

    private mutating func loadDays(around rows: [MinuteTotals], defaultZone: DayCalendar) throws {
        var books: [Int64: DayBook] = [:]
        var wished: [(id: Int64, dates: Range<LocalDate>)] = []
        for row in rows {
            guard let (id, record) = devices[row.device] else { continue }
            if books[id] == nil {
                books[id] = DayBook(calendar: DayCalendar(record.settings, defaultZone: defaultZone))
            }
            guard let dates = books[id]?.datesNeeded(forMinute: row.minute) else { continue }
            books[id]?.learn([], forMinute: row.minute)
            wished.append((id, dates))
        }
        try loadDays(wished)
    }

    /// Reads the days of some dates. What is in the book already may be newer than what is in the table.
    mutating func loadDays(_ wished: [(id: Int64, dates: Range<LocalDate>)]) throws {
        guard !wished.isEmpty else { return }
        let rows = try session.query(
            """
            SELECT DISTINCT \(DayRecord.columns), device FROM unnest($1::bigint[], $2::bigint[], $3::bigint[])
                AS wished (id, first, last)
            CROSS JOIN LATERAL (
                SELECT \(DayRecord.columns), device FROM days
                WHERE device = wished.id AND date >= wished.first AND date < wished.last OFFSET 0
            ) AS found
            """,
            [
                .ints(wished.map(\.id)), .ints(wished.map { Int64($0.dates.lowerBound.dayNumber) }),
                .ints(wished.map { Int64($0.dates.upperBound.dayNumber) }),
            ])
        for (id, day) in try rows.map({ (try $0.int(DayRecord.columnCount), try DayRecord($0)) }) {
            let key = DayKey(id: id, date: day.date)
            if days[key] == nil { days[key] = day }
        }
        for (id, dates) in wished {
            for number in dates.lowerBound.dayNumber..<dates.upperBound.dayNumber {
                knownDates.insert(DayKey(id: id, date: LocalDate(dayNumber: number)))
            }
        }
    }

    mutating func loadPeaks() throws {
        let rows = try session.query(
            "SELECT \(Counts.columns), date, device FROM day_peaks WHERE device = ANY($1)",
            [.ints(devices.values.map(\.id))])
        for (id, peak) in try rows.map({ (try $0.int(Counts.columnCount + 1), try DayPeak($0)) }) { peaks[id] = peak }
    }
}
