package import Wire

/// How a person is shown: what `people/configure` keeps.
package struct ShownPerson: Sendable, Equatable {
    package var person: String
    /// The name that others see; nil for the person's own.
    package var alias: String?
    /// False for a person who is off the wall.
    package var isOnTheWall = true

    /// The most people with settings of their own.
    package static let maximumKept: Int64 = 100_000

    /// Why settings are not kept.
    package enum Refusal: Sendable {
        /// The alias is another's name or alias, but for capitals and accents.
        case taken
        /// Too many people have settings.
        case tooMany
    }
}

extension HistoryStore {
    /// How people are shown; only those of whom something was said.
    package func shownPeople(_ people: [String]) async throws(HistoryError) -> [String: ShownPerson] {
        try await database.read(isSnapshot: false) { session in
            let results = try session.execute(
                people.map { SQLStatement("SELECT alias, is_shown FROM people WHERE person = $1", [.text($0)]) })
            var shown: [String: ShownPerson] = [:]
            for (person, result) in zip(people, results) {
                guard var row = result.rows.first else { continue }
                shown[person] = ShownPerson(
                    person: person, alias: try row.optionalText(), isOnTheWall: try row.bool())
            }
            return shown
        }
    }

    /// Keeps how a person is shown.
    package func keep(_ shown: ShownPerson) async throws(HistoryError) -> ShownPerson.Refusal? {
        try await database.write { session in
            try session.lock(.newcomers)
            let kept = try session.query(
                "SELECT 1 FROM people WHERE person = $1 AND alias = $2", [.text(shown.person), .text(shown.alias)])
            // One that somebody has already does not keep them on the wall when another one of that name comes.
            if let alias = shown.alias, kept.isEmpty {
                let folded = PersonName.folded(alias)
                let others = try Self.names(otherThanOf: shown.person, session)
                if others.contains(where: { PersonName.folded($0) == folded }) { return .taken }
            }
            let others = try session.number("SELECT count(*) FROM people WHERE person <> $1", [.text(shown.person)])
            guard others ?? 0 < ShownPerson.maximumKept else { return .tooMany }
            try session.change(
                """
                INSERT INTO people (person, alias, is_shown) VALUES ($1, $2, $3)
                ON CONFLICT (person) DO UPDATE SET alias = excluded.alias, is_shown = excluded.is_shown
                """, [.text(shown.person), .text(shown.alias), .bool(shown.isOnTheWall)])
            return nil
        }
    }

    /// The names and aliases of everybody else.
    private static func names(otherThanOf person: String, _ session: any SQLSession) throws -> [String] {
        try session.query(
            """
            SELECT person FROM people WHERE person <> $1
            UNION SELECT alias FROM people WHERE person <> $1 AND alias IS NOT NULL
            UNION SELECT person FROM assignments WHERE person <> $1
            UNION SELECT coalesce(person, name) FROM users WHERE coalesce(person, name) <> $1
            """, [.text(person)]
        ).read { try $0.text() }
    }

    /// Who is shown on the wall by a name; nil for nobody, and for who has another name there or is off it.
    package func person(shownAs name: String) async throws(HistoryError) -> String? {
        try await database.read(isSnapshot: false) { session in
            let byAlias = try session.query(
                "SELECT person FROM people WHERE alias = $1 AND is_shown = $2", [.text(name), .bool(true)]
            ).read { try $0.text() }.first
            if let byAlias { return byAlias }
            let isHidden = try session.query(
                "SELECT 1 FROM people WHERE person = $1 AND (alias IS NOT NULL OR is_shown = $2)",
                [.text(name), .bool(false)])
            return isHidden.isEmpty ? name : nil
        }
    }

    /// The devices that the wall does not show at a minute: those of people who are off it, by check-in, by config, or by
    /// the name of their user.
    package func devicesOffTheWall(atMinute minute: Int64) async throws(HistoryError) -> Set<DeviceID> {
        try await database.read(isSnapshot: false) { session in
            let hidden = "(SELECT person FROM people WHERE is_shown = $2)"
            let names = try session.query(
                """
                SELECT device FROM assignments WHERE from_minute <= $1 AND to_minute > $1 AND person IN \(hidden)
                UNION ALL SELECT name FROM users WHERE role = 'member' AND coalesce(person, name) IN \(hidden)
                """, [.int(minute), .bool(false)]
            ).read { try DeviceID($0.text()) }
            return Set(names)
        }
    }
}
