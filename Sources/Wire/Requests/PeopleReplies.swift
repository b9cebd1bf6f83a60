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
    /// The name that others see; nil for the person's own.
    public var alias: String?
    /// False for a person who is off the wall.
    public var isOnTheWall = true
    /// The person's devices with the time of each, in order of their start.
    public var devices: [AssignmentData] = []

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("person", &person, .text)
        try list.field("alias", &alias, .text)
        try list.field("wall", &isOnTheWall, .flag, default: true)
        try list.field("devices", &devices, .list())
    }
}

/// How a person is shown: the data of `people/configure`.
public struct ShownPersonData: FieldPayload, Hashable {
    /// The person's name.
    public var person = ""
    /// The name that others see; nil for the person's own.
    public var alias: String?
    /// False for a person who is off the wall.
    public var isOnTheWall = true

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("person", &person, .text)
        try list.field("alias", &alias, .text)
        try list.field("wall", &isOnTheWall, .flag, default: true)
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

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("person", &person, .text)
        try list.field("device", &device, .device)
        try list.field("from", &from, .time)
        try list.field("to", &to, .time)
    }
}

/// The data of `people` with a `person`: what the person's devices counted, each minute from one of them.
public struct PersonData: FieldPayload, Hashable {
    /// The person's name.
    public var person = ""
    /// The IANA name of the time zone of the buckets.
    public var zone = ""
    /// The length of each bucket.
    public var bucket = Bucket.day
    /// The buckets, in order.
    public var buckets: [PersonBucket] = []
    /// The cursor of the next page; absent on the last page.
    public var cursor: String?

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("person", &person, .text)
        try list.field("zone", &zone, .zone)
        try list.field("bucket", &bucket, .word)
        try list.field("buckets", &buckets, .list())
        try list.field("cursor", &cursor, .text)
    }
}

/// One bucket of a person's totals.
public struct PersonBucket: FieldPayload, TotalsHolder, Hashable {
    /// Its first instant, in seconds since 1970.
    public var start = 0.0
    /// The sums of the bucket.
    public var totals = Totals()
    /// The active time with a known distance, in seconds; absent without distance.
    public var distanceActiveSeconds: Double?
    /// Crank revolutions a minute of active time, from the devices in the sums; absent without revolutions.
    public var rpm: CadenceFigures?
    /// Steps a minute of active time, from the devices in the sums; absent without steps.
    public var spm: CadenceFigures?

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("start", &start, .time)
        try totals.fields(&list)
        try list.field("distance_active_s", &distanceActiveSeconds, .seconds)
        try list.cadence("rpm", &rpm)
        try list.cadence("spm", &spm)
    }
}
