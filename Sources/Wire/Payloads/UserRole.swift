/// What a user of the bus is: the column of `schemas/roles.json` that says what the user may do.
public enum Role: String, Sendable, Hashable, CaseIterable {
    /// A bike, a phone or a watch.
    case device
    /// A person of the gym.
    case member
    /// A screen on the wall.
    case viewer
    /// Who runs the gym.
    case `operator`
    /// Ingest, counter and history.
    case services
}

/// `user/{user}/role`: what a user may do, as an operator has said; retained. An empty message revokes it. Before it one that
/// is not retained may say who did that, or that the user has another password.
public struct UserRole: FieldPayload, Hashable {
    /// The user's role.
    public var role = Role.device
    /// A member's person, where that is not the user's name.
    public var person: String?
    /// Who said it, for the audit.
    public var by: String?
    /// What was done where that is no new role; nil in what is retained.
    public var change: Change?

    /// What was done to a user who has a role.
    public enum Change: String, Sendable, Hashable, CaseIterable {
        /// The user has another password.
        case rotated
        /// The user may do nothing any more.
        case revoked
    }

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("role", &role, .word)
        try list.field("person", &person, .text)
        try list.field("by", &by, .text)
        try list.field("change", &change, .word)
    }
}

/// `service/history/audit`: one thing that somebody did, or was refused.
public struct AuditEntry: FieldPayload, Hashable {
    /// When, in seconds since 1970.
    public var t = 0.0
    /// The user who did it; nil for the operators' way of asking, which names nobody.
    public var who: String?
    /// The verb of the request, `users` where a user's role was changed, or `login` where the private broker refused one.
    public var did = ""
    /// The device, person or user that it was about.
    public var about: String?
    /// `ok`, the code of the error, `refused` for a login and for what is no role, or the new role of a user, `rotated` or `revoked`.
    public var outcome = ""
    /// The addresses that refused logins came from: each of them where several tried at once.
    public var addresses: [String]?
    /// How often; what is repeated within a minute is told again at its end, with its number.
    public var count: UInt64 = 1

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("t", &t, .time)
        try list.field("who", &who, .text)
        try list.field("did", &did, .text)
        try list.field("about", &about, .text)
        try list.field("outcome", &outcome, .text)
        try list.field("addresses", &addresses, .texts)
        try list.field("count", &count, .count)
    }
}
