import GRDB
import Wire

extension Counts {
    /// Reads the columns of `Counts.columns`, the first of which stands at an index.
    init(_ row: Row, from index: Int) {
        self.init()
        steps = row[index]
        revolutions = row[index + 1]
        distanceMillimetres = row[index + 2]
        activeMilliseconds = row[index + 3]
        coveredMilliseconds = row[index + 4]
        floors = Floors(ascended: row[index + 5], descended: row[index + 6])
    }

    /// The values for the columns of `Counts.columns`.
    var arguments: StatementArguments {
        [
            steps, revolutions, distanceMillimetres, activeMilliseconds, coveredMilliseconds, floors?.ascended,
            floors?.descended,
        ]
    }
}

extension DeviceRecord {
    /// A device and its number in the store, from a row that is there; nil if the name in the file is none.
    static func read(_ row: RowStatement) -> (id: Int64, record: DeviceRecord)? {
        let next = RowStatement.countsEnd
        guard let device = try? DeviceID(row.text(next + 1)) else { return nil }
        var record = DeviceRecord(device: device)
        record.counts = row.counts(from: 0)
        record.settings = DeviceSettings(
            kind: row.text(next + 2), placement: row.optionalText(next + 3), zone: row.optionalText(next + 4),
            dayStartMinutes: Int(clamping: row.int(next + 5)))
        record.settings.knowsStepLength = row.int(next + 9) != 0
        record.settings.knowsRevolutionLength = row.int(next + 10) != 0
        record.settings.person = row.optionalText(next + 11)
        record.compactedMinute = row.int(next + 12)
        record.firstMinute = row.optionalInt(next + 6)
        record.lastMinute = row.optionalInt(next + 7)
        record.revision = row.int(next + 8)
        return (row.int(next), record)
    }
}

extension DayRecord {
    /// Reads `columns` from a row that is there.
    init(_ row: RowStatement) {
        let next = RowStatement.countsEnd
        let (start, end) = (row.int(next + 2), row.int(next + 3))
        self.init(
            date: LocalDate(dayNumber: Int(clamping: row.int(next))), zone: row.text(next + 1),
            minutes: start..<max(start, end), counts: row.counts(from: 0), revision: row.int(next + 4))
    }
}

extension CountSum {
    init(_ row: Row) {
        self.init()
        counts = Counts(row, from: 0)
        let next = Counts.columnCount
        cadenceIntegral = row[next]
        cadenceSeconds = row[next + 1]
        cadenceMinimum = row[next + 2]
        cadenceMaximum = row[next + 3]
        for index in activityMilliseconds.indices { activityMilliseconds[index] = row[next + 4 + index] }
    }

    /// The values for `columns`.
    var arguments: StatementArguments {
        counts.arguments + [cadenceIntegral, cadenceSeconds, cadenceMinimum, cadenceMaximum]
            + StatementArguments(ActivityKind.allCases.map { self[$0] })
    }
}
