public import Wire

extension PostgresHistoryStore {
    /// Makes a device a person's; see `HistoryStore.assign`.
    public func assign(_ assignment: Assignment) async throws(HistoryError) -> Bool {
        try await write { session in
            var tables = PostgresTables(session)
            try tables.lock(assignment.device)
            let all = AssignmentBook.adding(assignment, to: try tables.assignments(of: assignment.device))
            guard all.count <= Assignment.maximumKept else { return false }
            try tables.replaceAssignments(of: assignment.device, with: all)
            return true
        }
    }

    /// Ends a check-in; see `HistoryStore.unassign`.
    public func unassign(
        _ device: DeviceID, person: String?, at minute: Int64
    ) async throws(HistoryError) -> Assignment? {
        try await write { session in
            var tables = PostgresTables(session)
            try tables.lock(device)
            let known = try tables.assignments(of: device)
            guard let (all, ended) = AssignmentBook.ending(at: minute, person: person, in: known) else { return nil }
            try tables.replaceAssignments(of: device, with: all)
            return ended
        }
    }

    /// The devices of a person; see `HistoryStore.assignments(of:)`.
    public func assignments(of person: String) async throws(HistoryError) -> [Assignment] {
        try await read { session in
            try session.query(
                "SELECT \(Assignment.columns) FROM assignments WHERE person = $1 ORDER BY from_minute, id LIMIT $2",
                [.text(person), .int(Int64(Assignment.maximumKept))]
            ).map { try Assignment($0) }.compactMap { $0 }
        }
    }

    /// The people of a device; see `HistoryStore.assignments(of:)`.
    public func assignments(of device: DeviceID) async throws(HistoryError) -> [Assignment] {
        try await read { session in try PostgresTables(session).assignments(of: device) }
    }

    /// People by their names; see `HistoryStore.people`.
    public func people(after person: String?, limit: Int) async throws(HistoryError) -> [String] {
        try await read { session in
            try session.query(
                "SELECT DISTINCT person FROM assignments WHERE person > $1 ORDER BY person LIMIT $2",
                [.text(person ?? ""), .int(Int64(limit))]
            ).map { try $0.text(0) }
        }
    }
}
