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

/// The text of a name that people read: of a person, an alias, a device in its own system.
///
/// No name has a character that is not seen, such as a line's end, an escape of a terminal or a mark of the direction of
/// writing: it would forge a line of a log, or look like another name.
package enum NameText {
    /// The first character of a name that is not seen and no name needs, as `U+200B`.
    package static func refusedCharacter(in name: String) -> String? {
        name.unicodeScalars.first(where: isRefused).map { scalar in
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
        }
    }

    /// A name as it may be shown, with U+FFFD for each refused character.
    package static func shown(_ name: String) -> String {
        guard name.unicodeScalars.contains(where: isRefused) else { return name }
        var scalars = String.UnicodeScalarView()
        for scalar in name.unicodeScalars { scalars.append(isRefused(scalar) ? "\u{FFFD}" : scalar) }
        return String(scalars)
    }

    private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
        !(0x20..<0x7F).contains(scalar.value) && isUnseen(scalar) && !isNeeded(scalar)
    }

    /// True for a character that leaves no mark.
    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return properties.isDefaultIgnorableCodePoint
        }
    }

    /// Those that names are written with: the joiners U+200C and U+200D of Persian, Indic scripts and emoji, and the
    /// variation selectors.
    private static func isNeeded(_ scalar: Unicode.Scalar) -> Bool {
        (0x200C...0x200D).contains(scalar.value) || scalar.properties.isVariationSelector
    }
}

extension FieldForm<String> {
    /// A name of at most `PayloadLimits.maximumTextBytes` bytes, all of which is seen.
    static var name: Self {
        Self { json throws(WireError) in
            let name = try json.text()
            guard NameText.refusedCharacter(in: name) == nil else { throw .outOfRange }
            return name
        } write: {
            $0.value($1)
        }
    }
}
