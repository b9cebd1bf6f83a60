import Wire

/// What a commit reads and writes, a statement a table: everything is read before the decisions, with the devices'
/// rows locked, and written after them.
struct PostgresTables: CommitTables {
    /// What a minute row is known by.
    struct MinuteKey: Hashable {
        var id: Int64
        var minute: Int64
        var epoch: UInt64
    }

    /// What a day is known by.
    struct DayKey: Hashable {
        var id: Int64
        var date: LocalDate
    }

    let session: PostgresSession
    var devices: [DeviceID: (id: Int64, record: DeviceRecord)] = [:]
    var minutes: [MinuteKey: StoredMinute] = [:]
    var days: [DayKey: DayRecord] = [:]
    /// The dates of which `days` has what there is.
    var knownDates: Set<DayKey> = []
    var peaks: [Int64: DayPeak] = [:]
    var leases: [DeviceID: [LiveLease]] = [:]

    var changedTotals: [Int64: DeviceRecord] = [:]
    var changedMinutes: [MinuteKey: MinuteTotals] = [:]
    var changedDays: Set<DayKey> = []
    var changedPeaks: Set<Int64> = []
    var changedLeases: [LiveLease] = []
    var changedCursors: [ChainCursor] = []

    init(_ session: PostgresSession) { self.session = session }

    func device(_ device: DeviceID) throws -> (id: Int64, record: DeviceRecord)? { devices[device] }

    /// Every device that there is room for was made when the devices were locked.
    func insertDevice(_ device: DeviceID) throws -> Int64? { nil }

    func storeSettings(_ settings: DeviceSettings, id: Int64) throws {
        try session.execute(
            """
            UPDATE devices SET kind = $2, placement = $3, zone = $4, day_start_min = $5, knows_step_length = $6,
            knows_revolution_length = $7, person = $8 WHERE id = $1
            """,
            [
                .int(id), .text(settings.kind), .optionalText(settings.placement), .optionalText(settings.zone),
                .int(Int64(settings.dayStartMinutes)), .bool(settings.knowsStepLength),
                .bool(settings.knowsRevolutionLength), .optionalText(settings.person),
            ])
    }

    mutating func storeTotals(_ record: DeviceRecord, id: Int64) { changedTotals[id] = record }

    func minute(_ row: MinuteTotals, id: Int64) throws -> StoredMinute? { minutes[MinuteKey(row, id: id)] }

    mutating func store(_ row: MinuteTotals, id: Int64) {
        let key = MinuteKey(row, id: id)
        minutes[key] = StoredMinute(revision: Int64(clamping: row.revision), counts: Counts(row))
        changedMinutes[key] = row
    }

    mutating func minutes(id: Int64, from minute: Int64) throws -> [(minute: Int64, row: StoredMinute)] {
        try flushMinutes()
        return try session.query(
            """
            SELECT \(Counts.columns), revision, minute FROM minutes WHERE device = $1 AND minute >= $2
            ORDER BY minute, epoch
            """, [.int(id), .int(minute)]
        ).map { row in
            let next = Counts.columnCount
            return (
                try row.int(next + 1), StoredMinute(revision: try row.int(next), counts: try Counts(row, from: 0))
            )
        }
    }

    mutating func days(id: Int64, dates: Range<LocalDate>) throws -> [DayRecord] {
        let keys = (dates.lowerBound.dayNumber..<dates.upperBound.dayNumber).map {
            DayKey(id: id, date: LocalDate(dayNumber: $0))
        }
        if !keys.allSatisfy(knownDates.contains) { try loadDays([(id, dates)]) }
        return keys.compactMap { days[$0] }
    }

    mutating func store(_ day: DayRecord, id: Int64) {
        let key = DayKey(id: id, date: day.date)
        days[key] = day
        knownDates.insert(key)
        changedDays.insert(key)
    }

    mutating func removeOpenDays(id: Int64, nowMinute: Int64) throws -> (start: Int64?, revisions: Int64) {
        try flushDays()
        days = days.filter { $0.key.id != id }
        knownDates = knownDates.filter { $0.id != id }
        let row = try session.query(
            """
            WITH removed AS (DELETE FROM days WHERE device = $1 AND end_minute > $2 RETURNING start_minute, revision)
            SELECT min(start_minute), max(revision) FROM removed
            """, [.int(id), .int(nowMinute)]
        ).first
        return (try row?.optionalInt(0), try row?.optionalInt(1) ?? 0)
    }

    func peak(id: Int64) throws -> DayPeak? { peaks[id] }

    mutating func store(_ peak: DayPeak, id: Int64) {
        peaks[id] = peak
        changedPeaks.insert(id)
    }

    func raiseTotalPeak(to counts: Counts, id: Int64) throws {
        let greatest = Counts.columns.split(whereSeparator: { ", \n".contains($0) })
            .map { "\($0) = greatest(total_peaks.\($0), excluded.\($0))" }.joined(separator: ", ")
        try session.execute(
            """
            INSERT INTO total_peaks (device, \(Counts.columns))
            SELECT * FROM unnest($1::bigint[], \(Self.countArrays(from: 2)))
            ON CONFLICT (device) DO UPDATE SET \(greatest)
            """, [.ints([id])] + Counts.parameters(of: [counts]))
    }

    func forgetTotalPeak(id: Int64) throws {
        try session.execute("DELETE FROM total_peaks WHERE device = $1", [.int(id)])
    }

    func leases(of device: DeviceID) throws -> [LiveLease] { leases[device] ?? [] }

    mutating func store(_ lease: LiveLease) { changedLeases.append(lease) }

    func assignments(of device: DeviceID) throws -> [Assignment] {
        try session.query(
            "SELECT \(Assignment.columns) FROM assignments WHERE device = $1 ORDER BY from_minute, id",
            [.text(device.description)]
        ).map { try Assignment($0) }.compactMap { $0 }
    }

    func replaceAssignments(of device: DeviceID, with assignments: [Assignment]) throws {
        try session.execute("DELETE FROM assignments WHERE device = $1", [.text(device.description)])
        try session.execute(
            """
            INSERT INTO assignments (device, person, from_minute, to_minute, origin, priority)
            SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
            """,
            [
                .text(device.description), .texts(assignments.map(\.person)),
                .ints(assignments.map(\.minutes.lowerBound)), .ints(assignments.map(\.minutes.upperBound)),
                .ints(assignments.map { Int64($0.origin.rawValue) }),
                .optionalInts(assignments.map { $0.priority.map(Int64.init) }),
            ])
    }

    mutating func store(_ cursor: ChainCursor) { changedCursors.append(cursor) }
}

extension PostgresTables.MinuteKey {
    init(_ row: MinuteTotals, id: Int64) { self.init(id: id, minute: row.minute, epoch: row.epoch) }
}
