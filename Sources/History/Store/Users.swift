package import Wire

/// A message of an operator on `user/{user}/role`; a role of nil revokes it.
package struct RoleChange: Sendable, Equatable {
    package var user: DeviceID
    package var role: UserRole?

    fileprivate var isRevocation: Bool { role == nil || role?.change == .revoked }
}

extension HistoryStore {
    /// The role of a user; nil if an operator has given none.
    package func role(of user: DeviceID) async throws(HistoryError) -> UserRole? {
        try await database.read(isSnapshot: false) { session in try Self.role(of: user, session) }
    }

    private static func role(of user: DeviceID, _ session: any SQLSession) throws -> UserRole? {
        try session.query("SELECT role, person FROM users WHERE name = $1", [.text("\(user)")]).read {
            row -> UserRole? in
            guard let role = Role(rawValue: try row.text()) else { return nil }
            let person = try row.optionalText()
            return UserRole { ($0.role, $0.person) = (role, person) }
        }.first
    }

    /// Keeps roles; gives the changes of what was there, a new password among them, of which nothing is kept.
    static func keep(_ changes: [RoleChange], maximum: Int, _ session: any SQLSession) throws -> [RoleChange] {
        var changed: [RoleChange] = []
        for change in changes {
            let before = try role(of: change.user, session)
            let name = SQLValue.text("\(change.user)")
            guard let role = change.role, !change.isRevocation else {
                guard before != nil else { continue }
                try session.change("DELETE FROM users WHERE name = $1", [name])
                changed.append(change)
                continue
            }
            guard role.change == nil else {
                if before != nil { changed.append(change) }
                continue
            }
            guard before?.role != role.role || before?.person != role.person else { continue }
            guard try before != nil || session.number("SELECT count(*) FROM users") ?? 0 < maximum else { continue }
            try session.change(
                """
                INSERT INTO users (name, role, person) VALUES ($1, $2, $3)
                ON CONFLICT (name) DO UPDATE SET role = excluded.role, person = excluded.person
                """, [name, .text(role.role.rawValue), .text(role.person)])
            changed.append(change)
        }
        return changed
    }
}
