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
    }

    /// The values for the columns of `Counts.columns`.
    var arguments: StatementArguments {
        [steps, revolutions, distanceMillimetres, activeMilliseconds, coveredMilliseconds]
    }
}

extension DeviceRecord {
    /// A device and its number in the store, from a row that is there; nil if the name in the file is none.
    static func read(_ row: RowStatement) -> (id: Int64, record: DeviceRecord)? {
        guard let device = try? DeviceID(row.text(6)) else { return nil }
        var record = DeviceRecord(device: device)
        record.counts = row.counts(from: 0)
        record.settings = DeviceSettings(
            kind: row.text(7), placement: row.optionalText(8), zone: row.optionalText(9),
            dayStartMinutes: Int(clamping: row.int(10)))
        record.settings.knowsStepLength = row.int(14) != 0
        record.settings.knowsRevolutionLength = row.int(15) != 0
        record.settings.person = row.optionalText(16)
        record.compactedMinute = row.int(17)
        record.firstMinute = row.optionalInt(11)
        record.lastMinute = row.optionalInt(12)
        record.revision = row.int(13)
        return (row.int(5), record)
    }
}

extension DayRecord {
    /// Reads `columns` from a row that is there.
    init(_ row: RowStatement) {
        let (start, end) = (row.int(7), row.int(8))
        self.init(
            date: LocalDate(dayNumber: Int(clamping: row.int(5))), zone: row.text(6),
            minutes: start..<max(start, end), counts: row.counts(from: 0), revision: row.int(9))
    }
}

extension CountSum {
    init(_ row: Row) {
        self.init()
        counts = Counts(row, from: 0)
        cadenceIntegral = row[5]
        cadenceSeconds = row[6]
        cadenceMinimum = row[7]
        cadenceMaximum = row[8]
        for index in activityMilliseconds.indices { activityMilliseconds[index] = row[9 + index] }
    }

    /// The values for `columns`.
    var arguments: StatementArguments {
        counts.arguments + [cadenceIntegral, cadenceSeconds, cadenceMinimum, cadenceMaximum]
            + StatementArguments(ActivityKind.allCases.map { self[$0] })
    }
}
