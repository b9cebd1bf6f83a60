import Wire

/// A mark of a device or a person, to be kept.
package struct MarkRow: Sendable, Equatable {
    package var subject: Subject
    package var mark: WorkoutMark

    package init(_ subject: Subject, _ mark: WorkoutMark) { (self.subject, self.mark) = (subject, mark) }

    /// The most marks of a subject in a day of UTC: a button is not pressed so often.
    package static let maximumADay: Int64 = 200

    /// Keeps it; one that is there already stays.
    /// - Returns: Whether there was room.
    func keep(_ session: any SQLSession) throws -> Bool {
        let day = mark.second - mark.second % 86_400
        let count = try session.number(
            "SELECT count(*) FROM workout_marks WHERE is_person = $1 AND name = $2 AND second >= $3 AND second < $4",
            subject.key + [.int(day), .int(day + 86_400)])
        guard count ?? 0 < Self.maximumADay else { return false }
        try session.change(
            """
            INSERT INTO workout_marks (is_person, name, second, kind) VALUES ($1, $2, $3, $4)
            ON CONFLICT (is_person, name, second, kind) DO NOTHING
            """, subject.key + [.int(mark.second), .text(mark.kind.rawValue)])
        return true
    }
}

/// What somebody wants of a workout.
struct WorkoutEdit: Sendable {
    var note: WorkoutNote
    /// Marks to be set, and those of a kind in some seconds that go.
    var marks: [WorkoutMark] = []
    var taken: [(kind: WorkoutMark.Kind, seconds: Range<Int64>)] = []
}

// MARK: - Store

extension HistoryStore {
    package func keep(_ mark: MarkRow) async throws(HistoryError) -> Bool {
        try await database.write { session in try mark.keep(session) }
    }

    /// Keeps what was said of a workout; what was not said stays as it was.
    func keep(_ edit: WorkoutEdit, of subject: Subject) async throws(HistoryError) -> Bool {
        try await database.write { session in
            guard try edit.marks.allSatisfy({ try MarkRow(subject, $0).keep(session) }) else { return false }
            for (kind, seconds) in edit.taken {
                try session.change(
                    """
                    DELETE FROM workout_marks
                    WHERE is_person = $1 AND name = $2 AND kind = $3 AND second >= $4 AND second < $5
                    """, subject.key + [.text(kind.rawValue), .int(seconds.lowerBound), .int(seconds.upperBound)])
            }
            try Self.write(edit.note, of: subject, session)
            return true
        }
    }

    /// Notes the ids of workouts that are being told, so that each stays what it is when late data moves its beginning.
    /// - Parameter isEnd: Whether it is told that they have ended.
    func noteTold(_ spans: [WorkoutSpan], isEnd: Bool = false, of subject: Subject) async throws(HistoryError) {
        let new = spans.filter { isEnd || !$0.isTold }
        guard !new.isEmpty else { return }
        try await database.write { session in
            for span in new {
                var note = WorkoutNote(span.idSecond)
                note.endedSecond = isEnd ? span.seconds.upperBound : nil
                try Self.write(note, of: subject, session)
            }
        }
    }

    private static let noteColumns = ["title", "kind", "deleted", "said_s", "ended_s"]

    private static func write(_ note: WorkoutNote, of subject: Subject, _ session: any SQLSession) throws {
        // Nothing is kept of who was forgotten meanwhile.
        guard try lock(subject, session) != nil else { return }
        try session.change(
            """
            INSERT INTO workout_notes (is_person, name, second, \(noteColumns.joined(separator: ", ")))
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (is_person, name, second) DO UPDATE SET
            \(noteColumns.map { "\($0) = coalesce(excluded.\($0), workout_notes.\($0))" }.joined(separator: ", "))
            """,
            subject.key + [
                .int(note.second), .text(note.title), .text(note.kind?.rawValue),
                .int(note.isDeleted.map { $0 ? 1 : 0 }), .int(note.saidSecond), .int(note.endedSecond),
            ])
    }

    /// The marks and notes of a subject in some seconds; of a person also the marks of the devices that the person had.
    func marksAndNotes(
        of subject: Subject, _ owned: [Assignment], in seconds: Range<Int64>
    ) async throws(HistoryError) -> (marks: [WorkoutMark], notes: [WorkoutNote]) {
        try await database.read(isSnapshot: true) { session in
            let bounds: [SQLValue] = [.int(seconds.lowerBound), .int(seconds.upperBound)]
            func marks(of subject: Subject) throws -> [WorkoutMark] {
                try session.query(
                    """
                    SELECT second, kind FROM workout_marks
                    WHERE is_person = $1 AND name = $2 AND second >= $3 AND second < $4 ORDER BY second
                    """, subject.key + bounds
                ).read { row in
                    let second = try row.int()
                    return WorkoutMark.Kind(rawValue: try row.text()).map { WorkoutMark(second, $0) }
                }
            }
            var all = try marks(of: subject)
            if subject.isPerson {
                for (device, owned) in Dictionary(grouping: owned, by: \.device).sorted(by: { $0.key < $1.key }) {
                    all += try marks(of: .device(device)).filter { mark in
                        owned.contains { $0.minutes.contains(mark.second / 60) }
                            && ![.cut, .join].contains(mark.kind)
                    }
                }
            }
            let notes = try session.query(
                """
                SELECT second, \(Self.noteColumns.joined(separator: ", ")) FROM workout_notes
                WHERE is_person = $1 AND name = $2 AND second >= $3 AND second < $4 ORDER BY second
                """, subject.key + bounds
            ).read { row in
                var note = WorkoutNote(try row.int(), title: try row.optionalText())
                note.kind = try row.optionalText().flatMap { WorkoutKind(rawValue: $0) }
                note.isDeleted = try row.optionalInt().map { $0 != 0 }
                (note.saidSecond, note.endedSecond) = (try row.optionalInt(), try row.optionalInt())
                return note
            }
            return (all, notes)
        }
    }

    static func eraseMarksAndNotes(
        of subject: Subject, in minutes: Range<Int64>, _ session: any SQLSession
    ) throws {
        let minutes = minutes.clamped(to: 0..<DayCalendar.minutes.upperBound)
        let bounds: [SQLValue] = [.int(minutes.lowerBound * 60), .int(minutes.upperBound * 60)]
        for table in ["workout_marks", "workout_notes"] {
            try session.change(
                "DELETE FROM \(table) WHERE is_person = $1 AND name = $2 AND second >= $3 AND second < $4",
                subject.key + bounds)
        }
    }
}
