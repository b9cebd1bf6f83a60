import Wire

/// Devices and people that the store has no more, and of whom the broker may still retain totals. They are noted in the
/// transaction that takes them away, until the broker has empty messages in place of those.
extension HistoryStore {
    /// Takes a device or a person away, with the days.
    static func remove(_ subject: Subject, _ id: Int64, _ session: any SQLSession) throws {
        try session.change("DELETE FROM days WHERE subject = $1", [.int(id)])
        try session.change("DELETE FROM subjects WHERE id = $1", [.int(id)])
        try noteGone(subject, session)
    }

    static func noteGone(_ subject: Subject, _ session: any SQLSession) throws {
        try session.change(
            "INSERT INTO gone (is_person, name) VALUES ($1, $2) ON CONFLICT (is_person, name) DO NOTHING", subject.key)
    }

    /// All devices and people of whom the broker may retain something.
    package func retainedSubjects() async throws(HistoryError) -> [Subject] {
        let gone = try await database.read(isSnapshot: false) { session in
            try session.query("SELECT is_person, name FROM gone").read { try SubjectRecord.subject(&$0) }
        }
        return try await subjects() + gone
    }

    /// Notes that the broker retains nothing of these any more.
    package func noteCleared(_ subjects: [Subject]) async throws(HistoryError) {
        guard !subjects.isEmpty else { return }
        try await database.write { session in
            _ = try session.execute(
                subjects.map { SQLStatement("DELETE FROM gone WHERE is_person = $1 AND name = $2", $0.key) })
        }
    }
}
