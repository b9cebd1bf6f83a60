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
    /// A device and its number in the store; nil if the name in the file is none.
    static func read(_ row: Row) -> (id: Int64, record: DeviceRecord)? {
        let name: String = row[6]
        guard let device = try? DeviceID(name) else { return nil }
        var record = DeviceRecord(device: device)
        record.counts = Counts(row, from: 0)
        record.settings = DeviceSettings(kind: row[7], placement: row[8], zone: row[9], dayStartMinutes: row[10])
        record.settings.knowsStepLength = row[14]
        record.settings.knowsRevolutionLength = row[15]
        record.settings.person = row[16]
        record.compactedMinute = row[17]
        record.firstMinute = row[11]
        record.lastMinute = row[12]
        record.revision = row[13]
        return (row[5], record)
    }
}

extension DayRecord {
    init(_ row: Row) {
        let start: Int64 = row[7]
        let end: Int64 = row[8]
        self.init(
            date: LocalDate(dayNumber: row[5]), zone: row[6], minutes: start..<max(start, end),
            counts: Counts(row, from: 0), revision: row[9])
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
