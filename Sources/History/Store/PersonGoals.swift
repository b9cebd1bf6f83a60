import Foundation
package import Wire

/// What people want to reach, and how far they are.
extension HistoryStore {
    /// The most people with goals.
    package static let maximumGoals: Int64 = 100_000

    /// The goals of people; only of those who have one.
    func goals(of people: [String]) async throws(HistoryError) -> [String: Goals] {
        guard !people.isEmpty else { return [:] }
        return try await database.read(isSnapshot: false) { session in
            let results = try session.execute(people.map { SQLStatement(Self.goals, [.text($0)]) })
            var goals: [String: Goals] = [:]
            for (person, result) in zip(people, results) {
                goals[person] = try result.rows.read { try Goals(&$0) }.first
            }
            return goals
        }
    }

    /// Keeps the goals that are said; what is not said stays as it was.
    /// - Returns: All that is known now; nil where too many people have goals.
    package func keep(_ said: Goals, of person: String) async throws(HistoryError) -> Goals? {
        try await database.write { session in
            try session.lock(.newcomers)
            var goals = try session.query(Self.goals, [.text(person)]).read { try Goals(&$0) }.first ?? Goals()
            guard said != Goals() else { return goals }
            goals.take(said)
            try session.change("DELETE FROM goals WHERE person = $1", [.text(person)])
            guard goals != Goals() else { return goals }
            guard try session.number("SELECT count(*) FROM goals") ?? 0 < Self.maximumGoals else { return nil }
            try session.change(
                "INSERT INTO goals (person, \(Goals.columns)) VALUES ($1, $2, $3, $4, $5)",
                [.text(person)] + goals.values)
            return goals
        }
    }

    private static let goals = "SELECT \(Goals.columns) FROM goals WHERE person = $1"

    /// How far a person is on a day, in the week up to it.
    func progress(
        of goals: Goals, _ record: SubjectRecord, on day: DayRecord
    ) async throws(HistoryError) -> GoalProgress {
        var goals = goals
        let start = goals.weekStarts ?? WeekStart.usual(inZone: day.zone)
        goals.weekStarts = start
        let first = day.date.startOfWeek(from: start)
        let earlier = try await days(of: record.subject, from: first, to: day.date)
        let milliseconds = earlier.reduce(day.counts.activeMilliseconds) { $0 + $1.counts.activeMilliseconds }
        return GoalProgress(
            goals, steps: day.counts.steps, weekActiveMilliseconds: milliseconds,
            weekRides: goals.ridesPerWeek == nil ? nil : try await rides(of: record, from: first, through: day))
    }

    /// The rides that began from a date up to the end of a day.
    private func rides(
        of record: SubjectRecord, from first: LocalDate, through day: DayRecord
    ) async throws(HistoryError) -> Int {
        let start = DayCalendar(record.settings, defaultZone: defaultZone).minutes(of: first).lowerBound
        let week = start * 60..<max(start, day.minutes.upperBound) * 60
        let workouts = try await HistoryAnswers(store: self).spans(of: record, in: week)
        return workouts.count { workout in
            week.contains(workout.seconds.lowerBound) && !workout.isDeleted
                && (workout.kind.map { $0 == .ride } ?? workout.isOfCrank)
        }
    }
}

extension Goals {
    fileprivate static let columns = "steps_per_day, active_min_per_week, rides_per_week, week_starts"

    fileprivate init(_ row: inout SQLRow) throws {
        self.init()
        stepsPerDay = try row.optionalInt().map { Int(clamping: $0) }
        activeMinutesPerWeek = try row.optionalInt().map { Int(clamping: $0) }
        ridesPerWeek = try row.optionalInt().map { Int(clamping: $0) }
        weekStarts = try row.optionalText().flatMap { WeekStart(rawValue: $0) }
    }

    fileprivate var values: [SQLValue] {
        let numbers = [stepsPerDay, activeMinutesPerWeek, ridesPerWeek]
        return numbers.map { SQLValue.int($0.map { Int64($0) }) } + [SQLValue.text(weekStarts?.rawValue)]
    }

    /// Takes what is said; 0 takes a goal away.
    fileprivate mutating func take(_ said: Goals) {
        for goal in [\Goals.stepsPerDay, \.activeMinutesPerWeek, \.ridesPerWeek] {
            if let number = said[keyPath: goal] { self[keyPath: goal] = number > 0 ? number : nil }
        }
        weekStarts = said.weekStarts ?? weekStarts
    }
}

extension WeekStart {
    /// The country of each zone, by the table that comes with the zones; empty where that is not installed.
    private static let countries: [String: String] = {
        let table = (try? String(contentsOfFile: "/usr/share/zoneinfo/zone.tab", encoding: .utf8)) ?? ""
        let rows = table.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.split(separator: "\t") }
        return Dictionary(rows.compactMap { $0.count > 2 ? ("\($0[2])", "\($0[0])") : nil }) { first, _ in first }
    }()

    /// The day with which weeks begin in the country of a zone; Monday where it is not known.
    package static func usual(inZone zone: String) -> WeekStart {
        guard let country = countries[zone] else { return .monday }
        return switch Locale(identifier: "und_\(country)").firstDayOfWeek {
        case .sunday: .sunday
        case .saturday: .saturday
        default: .monday
        }
    }
}

extension LocalDate {
    /// The first day of this date's week.
    func startOfWeek(from start: WeekStart) -> LocalDate {
        let daysBeforeMonday = [WeekStart.monday: 0, .sunday: 1, .saturday: 2][start] ?? 0
        return advanced(by: daysBeforeMonday).startOfWeek.advanced(by: -daysBeforeMonday)
    }
}
