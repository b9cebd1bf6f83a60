import CSchemas
package import Wire

/// What each role may write, read and ask: `schemas/roles.json`, from which every broker's access list is made, and by
/// which history answers.
///
/// A topic is written below the root, with `%u` for the user's own name, `%p` for the id of the person that a member is
/// (`DeviceID(person:)`), and `{verb}` for the name of any request; one
/// that begins with `$` is the broker's own.
package struct RoleTable: Sendable {
    /// What a request may be about.
    package enum Scope: String, Sendable, CaseIterable {
        /// The asker: a device itself; a member's device, person, and devices while they were checked in to the person.
        case own
        /// Everything.
        case all
    }

    package struct Rights: Sendable {
        /// The topics that are written and read.
        package var writes: [String] = []
        package var reads: [String] = []
        /// The requests that are answered, with what they may be about.
        package var asks: [RequestVerb: Scope] = [:]
    }

    private let rights: [Role: Rights]

    /// The table that the program carries. One that could not be read would allow nothing.
    package static let standard = (try? RoleTable(json: standardText)) ?? RoleTable()
    static var standardText: String { String(cString: stridebus_roles()) }

    private init() { rights = [:] }

    /// Reads a table. A role, a scope or a verb that is not known, and a role that is missing, are errors.
    package init(json text: String) throws(WireError) {
        let roles = try Array(text.utf8).withRawBytes { bytes throws(WireError) in try JSONValue(parsing: bytes) }
            .object
        guard let roles, roles.members.count == Role.allCases.count else { throw .wrongType }
        var rights: [Role: Rights] = [:]
        for member in roles.members {
            guard let role = Role(rawValue: member.name), let object = member.value.object else { throw .outOfRange }
            rights[role] = try Rights(object)
        }
        self.rights = rights
    }

    package subscript(role: Role) -> Rights { rights[role] ?? Rights() }

    /// What a request of a role may be about; nil if it is not answered.
    package func scope(of verb: RequestVerb, for role: Role) -> Scope? { self[role].asks[verb] }
}

extension RoleTable.Rights {
    fileprivate init(_ object: JSONObject) throws(WireError) {
        self.init(writes: try Self.texts(object["write"]), reads: try Self.texts(object["read"]))
        guard let asked = object["ask"]?.object else { throw .wrongType }
        for member in asked.members {
            guard let scope = RoleTable.Scope(rawValue: member.name) else { throw .outOfRange }
            for name in try Self.texts(member.value) {
                guard let verb = RequestVerb(rawValue: name) else { throw .outOfRange }
                guard asks.updateValue(scope, forKey: verb) == nil else { throw .contradiction }
            }
        }
    }

    private static func texts(_ value: JSONValue?) throws(WireError) -> [String] {
        guard let values = value?.array else { throw .wrongType }
        return try values.map { value throws(WireError) in
            guard let text = value.string else { throw .wrongType }
            return text
        }
    }
}
