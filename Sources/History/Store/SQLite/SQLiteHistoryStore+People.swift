import GRDB
public import Wire

extension SQLiteHistoryStore {
    /// Makes a device a person's; see `HistoryStore.assign`.
    public func assign(_ assignment: Assignment) async throws(HistoryError) -> Bool {
        try await write { db in
            let all = AssignmentBook.adding(assignment, to: try Assignment.all(of: assignment.device, db))
            guard all.count <= Assignment.maximumKept else { return false }
            try Assignment.replace(assignment.device, with: all, db)
            return true
        }
    }

    /// Ends a check-in; see `HistoryStore.unassign`.
    public func unassign(
        _ device: DeviceID, person: String?, at minute: Int64
    ) async throws(HistoryError) -> Assignment? {
        try await write { db in
            let known = try Assignment.all(of: device, db)
            guard let (all, ended) = AssignmentBook.ending(at: minute, person: person, in: known) else { return nil }
            try Assignment.replace(device, with: all, db)
            return ended
        }
    }

    /// The devices of a person; see `HistoryStore.assignments(of:)`.
    public func assignments(of person: String) async throws(HistoryError) -> [Assignment] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT \(Assignment.columns) FROM assignments WHERE person = ? ORDER BY from_minute, id LIMIT ?",
                arguments: [person, Assignment.maximumKept]
            ).compactMap { Assignment($0) }
        }
    }

    /// The people of a device; see `HistoryStore.assignments(of:)`.
    public func assignments(of device: DeviceID) async throws(HistoryError) -> [Assignment] {
        try await read { db in try Assignment.all(of: device, db) }
    }

    /// People by their names; see `HistoryStore.people`.
    public func people(after person: String?, limit: Int) async throws(HistoryError) -> [String] {
        try await read { db in
            try String.fetchAll(
                db, sql: "SELECT DISTINCT person FROM assignments WHERE person > ? ORDER BY person LIMIT ?",
                arguments: [person ?? "", limit])
        }
    }
}

extension Assignment {
    fileprivate init?(_ row: Row) {
        let (name, start, end, word): (String, Int64, Int64, Int) = (row[1], row[2], row[3], row[4])
        guard let device = try? DeviceID(name), let origin = Origin(rawValue: word), start <= end else { return nil }
        self.init(person: row[0], device: device, minutes: start..<end, origin: origin, priority: row[5])
    }

    static func all(of device: DeviceID, _ db: Database) throws -> [Assignment] {
        try Row.fetchAll(
            db, sql: "SELECT \(columns) FROM assignments WHERE device = ? ORDER BY from_minute, id",
            arguments: [device.description]
        ).compactMap { Assignment($0) }
    }

    static func replace(_ device: DeviceID, with assignments: [Assignment], _ db: Database) throws {
        try db.execute(sql: "DELETE FROM assignments WHERE device = ?", arguments: [device.description])
        for assignment in assignments {
            try db.cachedStatement(
                sql: "INSERT INTO assignments (\(columns)) VALUES (?, ?, ?, ?, ?, ?)"
            ).execute(arguments: [
                assignment.person, device.description, assignment.minutes.lowerBound, assignment.minutes.upperBound,
                assignment.origin.rawValue, assignment.priority,
            ])
        }
    }
}
