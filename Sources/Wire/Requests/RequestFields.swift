/// What each verb takes: the fields of its request, beside those of every request.
extension RequestVerb {
    /// True for a verb that changes what is kept.
    package var isChanging: Bool {
        switch self {
        case .peopleCheckin, .peopleCheckout, .peopleConfigure, .peopleForget, .devicesConfigure, .devicesForget: true
        case .historyDays, .historyInterval, .historySeries, .historyActivity, .devices, .capabilities,
            .people:
            false
        }
    }

    /// The names of the fields that mean something to the verb.
    package var fields: [String] {
        switch self {
        case .historyDays: ["device", "from", "to", "zone", "limit", "cursor", "export"]
        case .historyInterval: ["device", "from", "to", "zone", "export"]
        case .historySeries: ["device", "from", "to", "zone", "bucket", "limit", "cursor", "export"]
        case .historyActivity: ["device", "person", "from", "to", "zone", "limit", "cursor", "export"]
        case .devices: ["limit", "cursor", "export"]
        case .capabilities: ["device", "zone"]
        case .people: ["person", "from", "to", "zone", "bucket", "limit", "cursor", "export"]
        case .peopleCheckin: ["device", "person", "from", "to", "zone", "priority"]
        case .peopleCheckout: ["device", "person", "to", "zone"]
        case .peopleConfigure: ["person", "alias", "wall"]
        case .peopleForget: ["person"]
        case .devicesConfigure: ["device", "config", "merge", "keep_unknown"]
        case .devicesForget: ["device"]
        }
    }

    /// The fields of every request: where and by when it is answered.
    private static let common: Set<String> = ["reply_to", "transaction", "deadline"]

    /// The first field of a request that the verb does not take, which would otherwise be passed over in silence.
    package func unknownField(in object: JSONObject) -> String? {
        object.members.first { member in
            member.value != .null && !Self.common.contains(member.name) && !fields.contains(member.name)
        }?.name
    }
}
