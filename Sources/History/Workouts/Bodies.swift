import Wire

/// What people have said of their bodies, for the energy of workouts.
extension HistoryStore {
    func bodies(of people: Set<String>) async throws(HistoryError) -> [String: BodyFields] {
        try await database.read(isSnapshot: false) { session in
            try people.reduce(into: [:]) { $0[$1] = try Self.body(of: $1, session) }
        }
    }

    /// Keeps what is said; what is not said stays as it was.
    /// - Returns: What is known now.
    func keep(_ said: BodyFields, of person: String) async throws(HistoryError) -> BodyFields {
        try await database.write { session in
            var body = try Self.body(of: person, session)
            if let kilograms = said.kilograms { body.kilograms = kilograms > 0 ? kilograms : nil }
            if let born = said.born { body.born = born > 0 ? born : nil }
            if let sex = said.sex { body.sex = sex == .unknown ? nil : sex }
            try session.change("DELETE FROM bodies WHERE person = $1", [.text(person)])
            guard body != BodyFields() else { return body }
            let grams = body.kilograms.map { Int64(($0 * 1000).rounded()) }
            try session.change(
                "INSERT INTO bodies (person, weight_g, born, sex) VALUES ($1, $2, $3, $4)",
                [.text(person), .int(grams), .int(body.born.map { Int64($0) }), .text(body.sex?.rawValue)])
            return body
        }
    }

    private static func body(of person: String, _ session: any SQLSession) throws -> BodyFields {
        try session.query("SELECT weight_g, born, sex FROM bodies WHERE person = $1", [.text(person)]).read { row in
            var body = BodyFields()
            body.kilograms = try row.optionalInt().map { Double($0) / 1000 }
            body.born = try row.optionalInt().map { Int(clamping: $0) }
            body.sex = try row.optionalText().flatMap { BodyFields.Sex(rawValue: $0) }
            return body
        }.first ?? BodyFields()
    }
}
