/// One device that the bus has seen.
public struct DeviceEntry: FieldPayload, Hashable {
    /// Its id.
    public var device = DeviceID()
    /// The name in the system that it comes from, as it came; nil where that is the id.
    public var name: String?
    /// The kind of device.
    public var kind = DeviceKind.unknown
    /// The placement of its sensor; nil if no operator has set one.
    public var placement: String?
    /// The IANA name of its time zone.
    public var zone = ""
    /// The time of its first activity, in seconds since 1970.
    public var firstT = 0.0
    /// The time of its last activity, in seconds since 1970.
    public var lastT = 0.0
    /// All-time steps.
    public var steps: UInt64 = 0
    /// All-time crank revolutions.
    public var revolutions: UInt64 = 0
    /// True if no operator has configured it: it works with defaults.
    public var isNew = false

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("device", &device, .device)
        try list.field("name", &name, .text)
        try list.field("kind", &kind, .word)
        try list.field("placement", &placement, .text)
        try list.field("zone", &zone, .zone)
        try list.field("first_t", &firstT, .time)
        try list.field("last_t", &lastT, .time)
        try list.field("steps", &steps, .count)
        try list.field("revolutions", &revolutions, .count)
        try list.flag("new", ifTrue: &isNew)
    }
}

/// A quantity or event that a device may provide.
public enum Capability: String, Sendable, Hashable, CaseIterable {
    /// Steps are counted.
    case steps
    /// Crank revolutions are counted.
    case revolutions
    /// Steps or revolutions a minute are known.
    case cadence
    /// Metres are known.
    case distance
    /// Seconds a metre are known.
    case pace
    /// Floors gone up and down are known.
    case floors
    /// The wearer's activity is recognised.
    case activity
    /// Pauses and resumptions are reported.
    case events
}

/// The availability of one quantity on a device, with a reason if it is missing.
public enum Availability: Sendable, Hashable {
    /// The quantity is available.
    case available
    /// The quantity is not available: the reason and the remedy, in one line.
    case unavailable(String)
}

/// The data of `capabilities`: the quantities of a device, with reasons for gaps. Flat: `"pace":false,"pace_why":"…"`.
public struct CapabilitiesData: FieldPayload, Hashable {
    /// The device that was asked about.
    public var device = DeviceID()
    /// The kind of device.
    public var kind = DeviceKind.unknown
    /// The IANA name of the time zone of the device's days; nil if history does not know it.
    public var zone: String?
    /// The availability of each capability; one that is missing here is unknown.
    public var availabilities: [Capability: Availability] = [:]
    /// The note in the device's health about data that its messages lack.
    public var note: String?
    /// The verbs that this user's role does not answer, in the order of `RequestVerb.allCases`; empty if it may use
    /// every verb.
    public var unauthorisedVerbs: [RequestVerb] = []

    /// True if the client may use every verb.
    public var isAuthorised: Bool { unauthorisedVerbs.isEmpty }

    /// True if a capability is available.
    public subscript(capability: Capability) -> Bool { availabilities[capability] == .available }

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("device", &device, .device)
        try list.field("kind", &kind, .word)
        try list.field("zone", &zone, .zone)
        for capability in Capability.allCases { try availability(of: capability, &list) }
        try list.field("note", &note, .text)
        var isAuthorised = Optional(isAuthorised)
        try list.field("authorised", &isAuthorised, .flag)
        var words = unauthorisedVerbs.isEmpty ? nil : unauthorisedVerbs.map(\.rawValue)
        try list.field("not_authorised", &words, .texts)
        // Verbs that are not known here cannot be requested anyway.
        let names = isAuthorised == false ? Set(words ?? []) : []
        unauthorisedVerbs = RequestVerb.allCases.filter { names.contains($0.rawValue) }
    }

    private mutating func availability(of capability: Capability, _ list: inout FieldList) throws(WireError) {
        var isAvailable = self[capability]
        try list.field(capability.rawValue, &isAvailable, .flag)
        var why: String?
        if case .unavailable(let text)? = availabilities[capability], !text.isEmpty { why = text }
        try list.field("\(capability.rawValue)_why", &why, .text)
        availabilities[capability] = isAvailable ? .available : .unavailable(why ?? "")
    }
}

/// The data of `people/forget` and `devices/forget`: what was deleted.
public struct ForgetData: FieldPayload, Hashable {
    /// The number of devices with deleted data.
    public var devices: UInt64 = 0
    /// The number of deleted minutes, and of deleted days beyond the retention of minutes.
    public var minutes: UInt64 = 0

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("devices", &devices, .count)
        try list.field("minutes", &minutes, .count)
    }
}

/// A person and the devices that the person has had.
public struct PersonEntry: FieldPayload, Hashable {
    /// The person's name.
    public var person = ""
    /// The name under which the wall shows the person; nil for who is not on it.
    public var alias: String?
    /// The steps of the person's day; nil without a goal.
    public var daySteps: UInt64?
    /// The person's goals, and how far they are reached.
    public var progress = GoalProgress()
    /// The person's devices with the time of each, in order of their start.
    public var devices: [AssignmentData] = []

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("person", &person, .text)
        try list.field("alias", &alias, .text)
        try list.field("day_steps", &daySteps, .count)
        try progress.fields(&list)
        try list.field("devices", &devices, .list())
    }
}

/// How a person is shown, and the goals: the data of `people/configure`.
public struct ShownPersonData: FieldPayload, Hashable {
    /// The person's name.
    public var person = ""
    /// The name under which the wall shows the person; nil for who is not on it.
    public var alias: String?
    /// What is known of the person's body, for the energy of workouts.
    public var body = BodyFields()
    /// The goals that hold now.
    public var goals = Goals()

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("person", &person, .text)
        try list.field("alias", &alias, .text)
        try goals.fields(&list)
        try body.fields(&list)
    }
}

/// What is known of a body; `nil` where it is not. In a request 0, and `unknown`, take away what was known.
public struct BodyFields: Sendable, Hashable {
    /// A sex, for the formulas that tell them apart.
    public enum Sex: String, Sendable, CaseIterable {
        case female, male, unknown
    }

    /// The weight, in kilograms.
    public var kilograms: Double?
    /// The year of birth.
    public var born: Int?
    /// The sex, for the formulas that tell them apart.
    public var sex: Sex?

    package init() {}

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("weight_kg", &kilograms, .number(in: 0...500, decimals: 1))
        try list.field("born", &born, .whole(in: 0...2_199))
        try list.field("sex", &sex, .word)
    }
}

/// The assignment of a device to a person for an interval: an entry of `people`, and the data of `people/checkin` and
/// `people/checkout`.
public struct AssignmentData: FieldPayload, Hashable {
    /// The person's name.
    public var person = ""
    /// The device.
    public var device = DeviceID()
    /// The start, in seconds since 1970; absent if there is none.
    public var from: Double?
    /// The end, excluded, in seconds since 1970; absent if the assignment is open.
    public var to: Double?
    /// The team that the person rides for in that time.
    public var team: String?

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("person", &person, .text)
        try list.field("device", &device, .device)
        try list.field("from", &from, .time)
        try list.field("to", &to, .time)
        try list.field("team", &team, .text)
    }
}
