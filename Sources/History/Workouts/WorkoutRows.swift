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
        guard try find(subject, session) != nil else { return }
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

/// A minute in which a crank was turned or steps were made.
package struct MovingMinute: Sendable, Equatable {
    let minute: Int64
    /// Whether a crank was turned more than steps were made.
    let isOfCrank: Bool
    let activeMilliseconds: Int64
    /// A bit for each second that is known to have a cadence; 0 where none is.
    let bits: UInt64

    /// `nil` for a minute at rest.
    package init?(_ minute: TracedMinute) {
        let counts = minute.sum.counts
        guard counts.steps > 0 || counts.revolutions > 0 else { return nil }
        self.minute = minute.minute
        isOfCrank = counts.revolutions > counts.steps
        activeMilliseconds = counts.activeMilliseconds
        let trace = minute.trace
        bits = (0..<Trace.seconds).reduce(0) { bits, second in
            trace?[.cadence, second] ?? 0 > 0 ? bits | 1 << UInt64(second) : bits
        }
    }

    /// The seconds of movement of one of some minutes: as its trace knows them, else as many as it was active, at its end
    /// where movement begins in it and at its beginning else.
    static func ranges(of minutes: [MovingMinute], at index: Int) -> [Range<Int64>] {
        let minute = minutes[index]
        let start = minute.minute * 60
        guard minute.bits == 0 else {
            let moving = RangeSet((0..<Int64(60)).filter { minute.bits >> UInt64($0) & 1 == 1 }.map { $0..<$0 + 1 })
            return moving.ranges.map { start + $0.lowerBound..<start + $0.upperBound }
        }
        // What counts by itself may not say for how long.
        let active = minute.activeMilliseconds
        let count = active > 0 ? min(60, (active + 999) / 1000) : 60
        let isAfter = index > 0 && minutes[index - 1].minute == minute.minute - 1
        let isBefore = index + 1 < minutes.count && minutes[index + 1].minute == minute.minute + 1
        return [isBefore && !isAfter ? start + 60 - count..<start + 60 : start..<start + count]
    }
}

/// Seconds without a pause in which a crank was turned or steps were made.
package struct Movement: Sendable, Hashable {
    /// Since 1970.
    package var seconds: Range<Int64>
    package var isOfCrank: Bool

    package init(_ seconds: Range<Int64>, isOfCrank: Bool) {
        (self.seconds, self.isOfCrank) = (seconds, isOfCrank)
    }

    /// What is shorter is no pause.
    package static let shortestPauseSeconds: Int64 = 10
    /// What is shorter, between pauses, is none: a few steps to the window.
    package static let shortestSeconds: Int64 = 20

    /// The movement of some minutes, which are in order.
    package static func all(in minutes: [MovingMinute]) -> [Movement] {
        var all: [Movement] = []
        for (index, minute) in minutes.enumerated() {
            for seconds in MovingMinute.ranges(of: minutes, at: index) {
                guard let last = all.last, last.isOfCrank == minute.isOfCrank,
                    seconds.lowerBound - last.seconds.upperBound < shortestPauseSeconds
                else {
                    all.append(Movement(seconds, isOfCrank: minute.isOfCrank))
                    continue
                }
                all[all.count - 1].seconds = last.seconds.lowerBound..<seconds.upperBound
            }
        }
        return all.filter { $0.seconds.count >= shortestSeconds }
    }
}
