/// The data of `people` without a `person`: the people and their devices.
package struct PeopleData: FieldPayload, Hashable {
    /// The people, by their names.
    package var people: [PersonEntry] = []
    /// The cursor of the next page; absent on the last page.
    package var cursor: String?

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("people", &people, .list())
        try list.field("cursor", &cursor, .text)
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
