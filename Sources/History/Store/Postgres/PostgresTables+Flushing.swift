import Wire

extension PostgresTables {
    /// Writes what has changed, a statement a table.
    mutating func flush() throws {
        try flushMinutes()
        try flushDays()
        try flushTotals()
        try flushPeaks()
        try flushLeases()
        try flushCursors()
    }

    mutating func flushMinutes() throws {
        let rows = Array(changedMinutes)
        changedMinutes = [:]
        for start in stride(from: 0, to: rows.count, by: PostgresHistoryStore.rowsAStatement) {
            let part = rows[start..<min(start + PostgresHistoryStore.rowsAStatement, rows.count)]
            let keys: [PostgresValue] = [
                .ints(part.map(\.key.id)), .ints(part.map(\.key.minute)),
                .ints(part.map { Int64(bitPattern: $0.key.epoch) }),
                .ints(part.map { Int64(clamping: $0.value.revision) }),
            ]
            try session.execute(Self.upsertMinutes, keys + CountSum.parameters(of: part.map { CountSum($0.value) }))
        }
    }

    mutating func flushDays() throws {
        let rows = changedDays.compactMap { key in days[key].map { (id: key.id, day: $0) } }
        changedDays = []
        guard !rows.isEmpty else { return }
        let keys: [PostgresValue] = [
            .ints(rows.map(\.id)), .ints(rows.map { Int64($0.day.date.dayNumber) }), .texts(rows.map(\.day.zone)),
            .ints(rows.map(\.day.minutes.lowerBound)), .ints(rows.map(\.day.minutes.upperBound)),
        ]
        let revisions = PostgresValue.ints(rows.map(\.day.revision))
        try session.execute(Self.upsertDays, keys + Counts.parameters(of: rows.map(\.day.counts)) + [revisions])
    }

    private mutating func flushTotals() throws {
        let rows = Array(changedTotals)
        changedTotals = [:]
        guard !rows.isEmpty else { return }
        try session.execute(
            """
            UPDATE devices SET first_minute = new.first_minute, last_minute = new.last_minute,
                revision = new.revision, \(Self.assignments(Counts.columns, from: "new"))
            FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], \(Self.countArrays(from: 5)))
                AS new (id, first_minute, last_minute, revision, \(Counts.columns))
            WHERE devices.id = new.id
            """,
            [
                .ints(rows.map(\.key)), .optionalInts(rows.map(\.value.firstMinute)),
                .optionalInts(rows.map(\.value.lastMinute)), .ints(rows.map(\.value.revision)),
            ] + Counts.parameters(of: rows.map(\.value.counts)))
    }

    private mutating func flushPeaks() throws {
        let rows = changedPeaks.compactMap { id in peaks[id].map { (id: id, peak: $0) } }
        changedPeaks = []
        guard !rows.isEmpty else { return }
        try session.execute(
            """
            INSERT INTO day_peaks (device, date, \(Counts.columns))
            SELECT * FROM unnest($1::bigint[], $2::bigint[], \(Self.countArrays(from: 3)))
            ON CONFLICT (device) DO UPDATE SET \(Self.assignments("date, \(Counts.columns)", from: "excluded"))
            """,
            [.ints(rows.map(\.id)), .ints(rows.map { Int64($0.peak.date.dayNumber) })]
                + Counts.parameters(of: rows.map(\.peak.counts)))
    }

    /// Only what is counted: how far the broker has the notices is noted meanwhile by those who publish them.
    private mutating func flushLeases() throws {
        let rows = changedLeases
        changedLeases = []
        guard !rows.isEmpty else { return }
        try session.execute(
            """
            UPDATE leases SET counted = new.counted, reached = greatest(leases.reached, new.reached)
            FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS new (id, counted, reached)
            WHERE leases.id = new.id
            """, [.ints(rows.map { $0.id ?? 0 }), .ints(rows.map(\.counted)), .ints(rows.map(\.reached))])
    }

    /// In order, because two histories may write the same chains.
    private mutating func flushCursors() throws {
        var newest: [Int64: ChainCursor] = [:]
        for cursor in changedCursors {
            let epoch = Int64(bitPattern: cursor.epoch)
            var most = newest[epoch] ?? cursor
            most.revision = max(most.revision, cursor.revision)
            most.heardSeconds = max(most.heardSeconds, cursor.heardSeconds)
            newest[epoch] = most
        }
        changedCursors = []
        guard !newest.isEmpty else { return }
        let rows = newest.sorted { $0.key < $1.key }
        try session.execute(
            """
            INSERT INTO chains SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[])
            ON CONFLICT (epoch) DO UPDATE SET revision = greatest(chains.revision, excluded.revision),
                heard_s = greatest(chains.heard_s, excluded.heard_s)
            """,
            [
                .ints(rows.map(\.key)), .ints(rows.map { Int64(clamping: $0.value.revision) }),
                .ints(rows.map(\.value.heardSeconds)),
            ])
    }

    /// `a = new.a, b = new.b` for `a, b`.
    static func assignments(_ columns: String, from table: String) -> String {
        columns.split(whereSeparator: { ", \n".contains($0) }).map { "\($0) = \(table).\($0)" }.joined(separator: ", ")
    }

    /// `unnest` of the columns of `Counts.columns`, whose first parameter has a number.
    static func countArrays(from first: Int) -> String {
        (0..<Counts.columnCount).map { "$\(first + $0)::bigint[]" }.joined(separator: ", ")
    }

    /// `unnest` of the columns of `CountSum.columns`, whose first parameter has a number.
    static func sumArrays(from first: Int) -> String {
        (0..<CountSum.columnCount).map { index in
            let isDouble = [0, 2, 3].contains(index - Counts.columnCount)
            return "$\(first + index)::\(isDouble ? "double precision" : "bigint")[]"
        }.joined(separator: ", ")
    }

    private static let upsertMinutes = """
        INSERT INTO minutes (device, minute, epoch, revision, \(CountSum.columns))
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], \(sumArrays(from: 5)))
        ON CONFLICT (device, minute, epoch) DO UPDATE SET revision = excluded.revision,
            \(assignments(CountSum.columns, from: "excluded"))
        WHERE excluded.revision > minutes.revision
        """

    private static let upsertDays = """
        INSERT INTO days (device, date, zone, start_minute, end_minute, \(Counts.columns), revision)
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[],
            \(countArrays(from: 6)), $\(6 + Counts.columnCount)::bigint[])
        ON CONFLICT (device, date) DO UPDATE SET zone = excluded.zone, start_minute = excluded.start_minute,
            end_minute = excluded.end_minute, revision = excluded.revision,
            \(assignments(Counts.columns, from: "excluded"))
        """
}

extension Counts {
    /// A parameter for each of `Counts.columns`.
    static func parameters(of all: [Counts]) -> [PostgresValue] {
        [
            .ints(all.map(\.steps)), .ints(all.map(\.revolutions)), .ints(all.map(\.distanceMillimetres)),
            .ints(all.map(\.activeMilliseconds)), .ints(all.map(\.coveredMilliseconds)),
            .optionalInts(all.map(\.floors?.ascended)), .optionalInts(all.map(\.floors?.descended)),
        ]
    }
}

extension CountSum {
    /// What one row counts.
    init(_ row: MinuteTotals) {
        self.init()
        counts = Counts(row)
        cadenceIntegral = Double(row.cadenceIntegral)
        cadenceSeconds = Int64(row.cadenceSeconds)
        cadenceMinimum = Double(row.cadenceMinimum)
        cadenceMaximum = Double(row.cadenceMaximum)
        for index in activityMilliseconds.indices where row.activityMilliseconds.indices.contains(index) {
            activityMilliseconds[index] = Int64(row.activityMilliseconds[index])
        }
    }

    /// A parameter for each of `CountSum.columns`.
    static func parameters(of all: [CountSum]) -> [PostgresValue] {
        Counts.parameters(of: all.map(\.counts)) + [
            .doubles(all.map(\.cadenceIntegral)), .ints(all.map(\.cadenceSeconds)),
            .doubles(all.map(\.cadenceMinimum)), .doubles(all.map(\.cadenceMaximum)),
        ] + ActivityKind.allCases.map { kind in .ints(all.map { $0[kind] }) }
    }
}
