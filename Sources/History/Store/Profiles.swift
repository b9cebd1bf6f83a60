import Foundation
import Synchronization
package import Wire

/// The one form of a person's name: composed (NFC), without spaces at its ends, and with one space where there are
/// several. Wherever a name comes in it is brought into this form, so that comparisons of texts here and of bytes in
/// the database agree. Capitals tell people apart, as accents do.
enum PersonName {
    /// The name in its one form; nil where nothing is left of it, or more than a name may have.
    static func normal(_ name: String) -> String? {
        // Most names.
        let isPlain = name.utf8.allSatisfy { (0x21..<0x7F).contains($0) }
        if isPlain { return name.isEmpty || name.utf8.count > PayloadLimits.maximumTextBytes ? nil : name }
        let words = name.precomposedStringWithCanonicalMapping.unicodeScalars
            .split(whereSeparator: \.properties.isWhitespace)
        let text = words.map { String($0) }.joined(separator: " ")
        // Joiners alone are not seen.
        let isSeen = words.contains { word in word.contains { !$0.properties.isDefaultIgnorableCodePoint } }
        return isSeen && text.utf8.count <= PayloadLimits.maximumTextBytes ? text : nil
    }

    /// What aliases are compared by: the name in small letters, without accents and forms of letters.
    static func folded(_ name: String) -> String {
        // Most names, and a hundred thousand of them are looked at while the store waits.
        if name.utf8.allSatisfy({ $0 < 0x80 }) { return name.lowercased() }
        let letters = name.decomposedStringWithCompatibilityMapping.unicodeScalars
            .filter { !accents.contains($0) }
        return String(String.UnicodeScalarView(letters)).lowercased()
    }

    /// The block of combining diacritical marks.
    private static let accents: ClosedRange<Unicode.Scalar> = "\u{300}"..."\u{36F}"
}

extension HistoryRequest {
    /// The request with its names in their one form.
    func withNormalNames() throws(ReplyError) -> HistoryRequest {
        var request = self
        let names: [(field: String, path: WritableKeyPath<HistoryRequest, String?>)] = [
            ("person", \.person), ("alias", \.alias), ("team", \.team), ("title", \.title),
        ]
        // An empty alias, team or title takes one away.
        for (field, path) in names {
            guard let text = request[keyPath: path], !text.isEmpty || field == "person" else { continue }
            guard let name = PersonName.normal(text) else {
                throw ReplyError(code: .badRequest, message: "'\(field)' has nothing that is seen, or is too long")
            }
            request[keyPath: path] = name
        }
        if let person = request.config?["person"]?.string, let name = PersonName.normal(person) {
            try? request.config?.set("person", to: .string(name))
        }
        return request
    }
}

/// What a person has said of themselves: the name on the wall, what is known of the body, and goals.
package struct PersonProfile: Sendable, Equatable {
    /// The name under which the wall shows the person; nil for who is not shown.
    package var alias: String?
    /// What the energy of workouts is told by.
    package var body = BodyFields()
    package var goals = Goals()

    /// The most people with a profile.
    package static let maximumPeople: Int64 = 100_000

    package init(alias: String? = nil, body: BodyFields = BodyFields(), goals: Goals = Goals()) {
        (self.alias, self.body, self.goals) = (alias, body, goals)
    }

    /// Takes what is said: an empty alias, an unknown sex and a number of 0 take away what is there.
    fileprivate mutating func take(_ said: PersonProfile) {
        if let name = said.alias { alias = name.isEmpty ? nil : name }
        if let kilograms = said.body.kilograms { body.kilograms = kilograms > 0 ? kilograms : nil }
        if let born = said.body.born { body.born = born > 0 ? born : nil }
        if let sex = said.body.sex { body.sex = sex == .unknown ? nil : sex }
        for goal in [\Goals.stepsPerDay, \.activeMinutesPerWeek, \.ridesPerWeek] {
            if let number = said.goals[keyPath: goal] { goals[keyPath: goal] = number > 0 ? number : nil }
        }
        goals.weekStarts = said.goals.weekStarts ?? goals.weekStarts
    }
}

/// Why a profile is not kept.
package enum ProfileRefusal: Error, Sendable {
    /// The alias is another's name or alias, but for capitals and accents.
    case aliasTaken
    /// Too many people have one.
    case tooMany
}

extension HistoryStore {
    /// The profiles of people; only of those who have one.
    package func profiles(of people: [String]) async throws(HistoryError) -> [String: PersonProfile] {
        guard !people.isEmpty else { return [:] }
        return try await database.read(isSnapshot: false) { session in
            let results = try session.execute(people.map { SQLStatement(PersonProfile.query, [.text($0)]) })
            return try zip(people, results).reduce(into: [:]) { profiles, found in
                profiles[found.0] = try found.1.rows.read { try PersonProfile(&$0) }.first
            }
        }
    }

    /// Keeps what is said, all of it or nothing; what is not said stays as it was.
    /// - Returns: All that is known now.
    package func keep(
        _ said: PersonProfile, of person: String
    ) async throws(HistoryError) -> Result<PersonProfile, ProfileRefusal> {
        try await database.write { session in
            let known = try session.query(PersonProfile.query, [.text(person)]).read { try PersonProfile(&$0) }.first
            var profile = known ?? PersonProfile()
            profile.take(said)
            guard profile != known ?? PersonProfile() else { return .success(profile) }
            // One that somebody has already stays theirs when another one of that name comes.
            if let alias = profile.alias, alias != known?.alias {
                let folded = PersonName.folded(alias)
                let others = try Self.names(otherThanOf: person, session)
                guard !others.contains(where: { PersonName.folded($0) == folded }) else { return .failure(.aliasTaken) }
            }
            if known == nil, try session.number("SELECT count(*) FROM profiles") ?? 0 >= PersonProfile.maximumPeople {
                return .failure(.tooMany)
            }
            try session.change("DELETE FROM profiles WHERE person = $1", [.text(person)])
            if profile != PersonProfile() { try profile.insert(person, session) }
            return .success(profile)
        }
    }

    /// The names and aliases of everybody else.
    private static func names(otherThanOf person: String, _ session: any SQLSession) throws -> [String] {
        try session.query(
            """
            SELECT person FROM profiles WHERE person <> $1
            UNION SELECT alias FROM profiles WHERE person <> $1 AND alias IS NOT NULL
            UNION SELECT person FROM assignments WHERE person <> $1
            UNION SELECT coalesce(person, name) FROM users WHERE coalesce(person, name) <> $1
            """, [.text(person)]
        ).read { try $0.text() }
    }
}

extension PersonProfile {
    private static let columns = """
        alias, weight_g, born, sex, steps_per_day, active_min_per_week, rides_per_week, week_starts
        """
    fileprivate static let query = "SELECT \(columns) FROM profiles WHERE person = $1"

    fileprivate init(_ row: inout SQLRow) throws {
        alias = try row.optionalText()
        body.kilograms = try row.optionalInt().map { Double($0) / 1000 }
        body.born = try row.optionalInt().map { Int(clamping: $0) }
        body.sex = try row.optionalText().flatMap { BodyFields.Sex(rawValue: $0) }
        goals.stepsPerDay = try row.optionalInt().map { Int(clamping: $0) }
        goals.activeMinutesPerWeek = try row.optionalInt().map { Int(clamping: $0) }
        goals.ridesPerWeek = try row.optionalInt().map { Int(clamping: $0) }
        goals.weekStarts = try row.optionalText().flatMap { WeekStart(rawValue: $0) }
    }

    fileprivate func insert(_ person: String, _ session: any SQLSession) throws {
        let numbers = [goals.stepsPerDay, goals.activeMinutesPerWeek, goals.ridesPerWeek]
        try session.change(
            "INSERT INTO profiles (person, \(Self.columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            [
                .text(person), .text(alias), .int(body.kilograms.map { Int64(($0 * 1000).rounded()) }),
                .int(body.born.map { Int64($0) }), .text(body.sex?.rawValue),
            ] + numbers.map { .int($0.map { Int64($0) }) } + [.text(goals.weekStarts?.rawValue)])
    }
}

/// The progress of people towards their goals.
extension HistoryStore {
    /// The calendar of a person: weeks begin as the person wants, else as in the country of the zone.
    func calendar(of record: SubjectRecord, _ goals: Goals?) -> DayCalendar {
        var calendar = DayCalendar(record.settings, defaultZone: defaultZone)
        calendar.chosenWeekStart = goals?.weekStarts
        return calendar
    }

    /// How far a person is on a day, in the week up to it.
    func progress(
        of goals: Goals, _ record: SubjectRecord, on day: DayRecord, nowMinute: Int64
    ) async throws(HistoryError) -> GoalProgress {
        let calendar = calendar(of: record, goals)
        var goals = goals
        goals.weekStarts = calendar.weekStarts
        let first = day.date.startOfWeek(from: calendar.weekStarts)
        // With the day before, in which a ride of the first day may have begun.
        let near = try await days(of: record.subject, from: first.advanced(by: -1), to: day.date)
        let milliseconds = near.filter { $0.date >= first }.reduce(day.counts.activeMilliseconds) {
            $0 + $1.counts.activeMilliseconds
        }
        var rides: Int?
        if goals.ridesPerWeek != nil {
            let start = calendar.startMinute(of: first) * 60
            let week = start..<max(start, day.minutes.upperBound * 60)
            rides = try await self.rides(of: record, in: week, near + [day], nowMinute: nowMinute)
        }
        return GoalProgress(
            goals, steps: day.counts.steps, weekActiveMilliseconds: milliseconds, weekRides: rides)
    }

    /// The rides that began in a week up to today. They are counted again when something was said of them, or one of the
    /// earlier days has changed; while today changes with every second, once a minute.
    private func rides(
        of record: SubjectRecord, in week: Range<Int64>, _ days: [DayRecord], nowMinute: Int64
    ) async throws(HistoryError) -> Int {
        let answers = HistoryAnswers(store: self)
        let basis = CountedRides.Basis(
            week: week, said: try await answers.said(of: record, near: week),
            revisions: days.dropLast().map(\.revision))
        let today = days.last?.revision ?? 0
        if let known = countedRides.withLock({ $0[record.subject] }), known.basis == basis,
            known.today == today || known.minute == nowMinute
        {
            return known.count
        }
        let count = try await answers.spans(of: record, in: week, basis.said).count { workout in
            week.contains(workout.seconds.lowerBound) && !workout.isDeleted
                && (workout.kind.map { $0 == .ride } ?? workout.isOfCrank)
        }
        countedRides.withLock { counted in
            if counted.count >= CountedRides.maximumPeople { counted = [:] }
            counted[record.subject] = CountedRides(basis: basis, today: today, minute: nowMinute, count: count)
        }
        return count
    }
}

/// The rides of a person's week, and what they were counted from.
struct CountedRides: Sendable {
    /// More are not remembered.
    static let maximumPeople = 10_000

    struct Basis: Sendable, Equatable {
        var week: Range<Int64>
        var said: WorkoutWords
        /// Of the days before today.
        var revisions: [Int64]
    }

    var basis: Basis
    /// The revision of today.
    var today: Int64
    /// When they were counted.
    var minute: Int64
    var count: Int
}
