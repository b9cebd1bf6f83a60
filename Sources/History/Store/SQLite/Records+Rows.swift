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
    /// A device and its number in the store; nil if the name in the file is none.
    static func read(_ row: Row) -> (id: Int64, record: DeviceRecord)? {
        let next = Counts.columnCount
        let name: String = row[next + 1]
        guard let device = try? DeviceID(name) else { return nil }
        var record = DeviceRecord(device: device)
        record.counts = Counts(row, from: 0)
        record.settings = DeviceSettings(
            kind: row[next + 2], placement: row[next + 3], zone: row[next + 4], dayStartMinutes: row[next + 5])
        record.settings.knowsStepLength = row[next + 9]
        record.settings.knowsRevolutionLength = row[next + 10]
        record.settings.person = row[next + 11]
        record.compactedMinute = row[next + 12]
        record.firstMinute = row[next + 6]
        record.lastMinute = row[next + 7]
        record.revision = row[next + 8]
        return (row[next], record)
    }
}

extension DayRecord {
    init(_ row: Row) {
        let next = Counts.columnCount
        let start: Int64 = row[next + 2]
        let end: Int64 = row[next + 3]
        self.init(
            date: LocalDate(dayNumber: row[next]), zone: row[next + 1], minutes: start..<max(start, end),
            counts: Counts(row, from: 0), revision: row[next + 4])
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
