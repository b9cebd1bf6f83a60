import GRDB
import Wire

/// The statements that a transaction has needed so far, and what those read that others than commits read too.
final class CommitStatements {
    private let db: Database
    private var prepared = [RowStatement?](repeating: nil, count: CommitStatement.allCases.count)

    init(_ db: Database) { self.db = db }

    subscript(_ statement: CommitStatement) -> RowStatement {
        get throws {
            if let known = prepared[statement.rawValue] { return known }
            let made = try RowStatement(CommitStatement.sql[statement.rawValue], db)
            prepared[statement.rawValue] = made
            return made
        }
    }

    func device(_ device: DeviceID) throws -> (id: Int64, record: DeviceRecord)? {
        let statement = try self[.device]
        statement.bind(device.description)
        return try statement.readOne { DeviceRecord.read($0) } ?? nil
    }

    func days(id: Int64, dates: Range<LocalDate>) throws -> [DayRecord] {
        let statement = try self[.days]
        statement.bind(id)
        statement.bind(Int64(dates.lowerBound.dayNumber))
        statement.bind(Int64(dates.upperBound.dayNumber))
        return try statement.read { DayRecord($0) }
    }

    func peak(id: Int64) throws -> DayPeak? {
        let statement = try self[.peak]
        statement.bind(id)
        return try statement.readOne {
            DayPeak(
                date: LocalDate(dayNumber: Int(clamping: $0.int(RowStatement.countsEnd))), counts: $0.counts(from: 0))
        }
    }
}
