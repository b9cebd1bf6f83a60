/// Why an alias is not kept.
package enum AliasRefusal: Sendable {
    /// It is another's name or alias, but for capitals and accents.
    case taken
    /// Too many people have aliases.
    case tooMany
}

extension HistoryStore {
    /// The most people with an alias.
    package static let maximumAliases: Int64 = 100_000

    /// The names under which the wall shows people; only of those who have one.
    package func aliases(of people: [String]) async throws(HistoryError) -> [String: String] {
        try await database.read(isSnapshot: false) { session in
            let results = try session.execute(
                people.map { SQLStatement("SELECT alias FROM aliases WHERE person = $1", [.text($0)]) })
            var aliases: [String: String] = [:]
            for (person, result) in zip(people, results) {
                aliases[person] = try result.rows.read { try $0.text() }.first
            }
            return aliases
        }
    }

    /// Keeps the name under which the wall shows a person, or with nil that it does not.
    package func keep(alias: String?, of person: String) async throws(HistoryError) -> AliasRefusal? {
        try await database.write { session in
            try session.lock(.newcomers)
            guard let alias else {
                try session.change("DELETE FROM aliases WHERE person = $1", [.text(person)])
                return nil
            }
            // One that somebody has already stays theirs when another one of that name comes.
            let kept = try session.query(
                "SELECT 1 FROM aliases WHERE person = $1 AND alias = $2", [.text(person), .text(alias)])
            guard kept.isEmpty else { return nil }
            let folded = PersonName.folded(alias)
            let others = try Self.names(otherThanOf: person, session)
            guard !others.contains(where: { PersonName.folded($0) == folded }) else { return .taken }
            let count = try session.number("SELECT count(*) FROM aliases WHERE person <> $1", [.text(person)])
            guard count ?? 0 < Self.maximumAliases else { return .tooMany }
            try session.change(
                """
                INSERT INTO aliases (person, alias) VALUES ($1, $2)
                ON CONFLICT (person) DO UPDATE SET alias = excluded.alias
                """, [.text(person), .text(alias)])
            return nil
        }
    }

    /// The names and aliases of everybody else.
    private static func names(otherThanOf person: String, _ session: any SQLSession) throws -> [String] {
        try session.query(
            """
            SELECT person FROM aliases WHERE person <> $1
            UNION SELECT alias FROM aliases WHERE person <> $1
            UNION SELECT person FROM assignments WHERE person <> $1
            UNION SELECT coalesce(person, name) FROM users WHERE coalesce(person, name) <> $1
            """, [.text(person)]
        ).read { try $0.text() }
    }
}
