import ServiceKit
package import Wire

/// Who may read and write which topic, in the words of each broker, from `RoleTable`.
///
/// What a list does not name it does not allow. A list names each user, because a pattern of Mosquitto's holds for
/// everybody, whatever the role; only what all roles but the services share is written as a pattern.
package struct AccessList: Sendable {
    private let users: [BusUser]
    private let topics: TopicTree
    private let foreignFilters: [String]

    /// A list of these users.
    /// - Parameter foreignFilters: What the services read and write beyond the root, such as `homeassistant/#` and the
    ///   topics of foreign devices.
    package init(users: [BusUser], topics: TopicTree, foreignFilters: [String] = []) {
        self.users = users.sorted { $0.name < $1.name }
        self.topics = topics
        self.foreignFilters = foreignFilters
    }

    package enum Access: String, Sendable, CaseIterable {
        case read, write
    }

    /// The filters that a user may read, or write, with the user's name in them.
    package func filters(_ access: Access, of user: BusUser) -> [String] {
        let person = user.person.map { DeviceID(person: $0) } ?? user.name
        let own = lines(access, of: user.role).map {
            $0.replacing("%u", with: "\(user.name)").replacing("%p", with: "\(person)")
        }
        return own + (user.role == .services ? foreignFilters : [])
    }

    /// The filters of a role below the root, a line for each verb of a request.
    private func lines(_ access: Access, of role: Role) -> [String] {
        let rights = RoleTable.standard[role]
        return (access == .read ? rights.reads : rights.writes).flatMap { line in
            guard line.hasSuffix("{verb}") else { return [line] }
            return RequestVerb.allCases.map { line.replacing("{verb}", with: $0.rawValue) }
        }.map { $0.hasPrefix("$") ? $0 : "\(topics.root)/\($0)" }
    }

    /// What all users share, with `%u` for the name.
    private func patterns(_ access: Access) -> [String] {
        let roles = Role.allCases.filter { $0 != .services }
        return lines(access, of: .device).filter { line in
            line.contains("%u") && roles.allSatisfy { lines(access, of: $0).contains(line) }
        }
    }
}

// MARK: - Mosquitto

extension AccessList {
    /// The text of Mosquitto's `acl_file`.
    package var mosquitto: String {
        var lines = ["# Made by stridebus from schemas/roles.json: it is written anew when users change."]
        for access in Access.allCases {
            lines += patterns(access).map { "pattern \(access.rawValue) \($0)" }
        }
        for user in users {
            lines += ["", "user \(user.name)"]
            for access in Access.allCases {
                let shared = Set(patterns(access).map { $0.replacing("%u", with: "\(user.name)") })
                lines += filters(access, of: user).filter { !shared.contains($0) }.map {
                    "topic \(access.rawValue) \($0)"
                }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

// MARK: - RabbitMQ

extension AccessList {
    /// The commands that give each user the permissions; users and passwords are RabbitMQ's own (`add_user`).
    ///
    /// A topic is a routing key there: `/` is `.`, `+` is `*`. `\A` and `\z`, because `$` takes a trailing newline; and
    /// a key that is published to has no wildcard, which RabbitMQ would deliver to others.
    package var rabbitMQ: [String] {
        users.flatMap { user in
            let queues = #"\Amqtt-subscription-.*\z"#
            let both = #"\A(mqtt-subscription-.*|amq\.topic)\z"#
            let (writes, reads) = (
                Self.expression(filters(.write, of: user), .write), Self.expression(filters(.read, of: user), .read)
            )
            return [
                "rabbitmqctl set_permissions -p / \(user.name) '\(queues)' '\(both)' '\(both)'",
                "rabbitmqctl set_topic_permissions -p / \(user.name) amq.topic '\(writes)' '\(reads)'",
            ]
        }
    }

    /// The regular expression of the routing keys of filters. That of a subscription is its filter. What is written has
    /// no control character and no byte that is not ASCII: RabbitMQ forwards topics that are not UTF-8, and libmosquitto
    /// ends the connection of whoever gets one.
    static func expression(_ filters: [String], _ access: Access) -> String {
        let written = #"[^.*#\x00-\x20\x7f-\xff]+"#
        let alternatives = filters.filter { !$0.hasPrefix("$") }.map { filter in
            var text = ""
            for level in filter.split(separator: "/") {
                guard level != "#" else { return text + (access == .read ? #"(\..*)?"# : #"(\.\#(written))*"#) }
                text += text.isEmpty ? "" : #"\."#
                text += level == "+" ? (access == .read ? "[^.#]+" : written) : String(level)
            }
            return text
        }
        return #"\A("# + alternatives.joined(separator: "|") + #")\z"#
    }
}
