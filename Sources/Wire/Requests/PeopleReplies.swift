/// The data of `people` without a `person`: the people and their devices.
package struct PeopleData: JSONPayload, Hashable {
    /// The people, by their names.
    package var people: [PersonEntry] = []
    /// The cursor of the next page; absent on the last page.
    package var cursor: String?

    package init() {}

    package init(people: [PersonEntry], cursor: String? = nil) {
        self.people = people
        self.cursor = cursor
    }

    package static var maximumBytes: Int { JSONValue.maximumBytes }

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.list("people", &people)
        try list.text("cursor", &cursor)
    }
}

/// A person and the devices that the person has had.
public struct PersonEntry: JSONPayload, Hashable {
    /// The person's name.
    public var person = ""
    /// The person's devices with the time of each, in order of their start.
    public var devices: [AssignmentData] = []

    package init() {}

    package init(person: String, devices: [AssignmentData]) {
        self.person = person
        self.devices = devices
    }

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.text("person", &person)
        try list.list("devices", &devices)
    }
}

/// The assignment of a device to a person for an interval: an entry of `people`, and the data of `people/checkin` and
/// `people/checkout`.
public struct AssignmentData: JSONPayload, Hashable {
    /// The person's name.
    public var person = ""
    /// The device.
    public var device = DeviceID()
    /// The start, in seconds since 1970; absent if there is none.
    public var from: Double?
    /// The end, excluded, in seconds since 1970; absent if the assignment is open.
    public var to: Double?

    package init() {}

    package init(person: String, device: DeviceID, from: Double? = nil, to: Double? = nil) {
        self.person = person
        self.device = device
        self.from = from
        self.to = to
    }

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.text("person", &person)
        try list.device("device", &device)
        try list.time("from", &from)
        try list.time("to", &to)
    }
}

/// The data of `people` with a `person`: the sums over all of the person's devices, each moment from one of them.
public struct PersonData: JSONPayload, Hashable {
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

    package init() {}

    package init(person: String, zone: String, bucket: Bucket, buckets: [PersonBucket], cursor: String? = nil) {
        self.person = person
        self.zone = zone
        self.bucket = bucket
        self.buckets = buckets
        self.cursor = cursor
    }

    package static var maximumBytes: Int { JSONValue.maximumBytes }

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.text("person", &person)
        try list.text("zone", &zone, maximumBytes: PayloadLimits.maximumZoneBytes)
        try list.word("bucket", &bucket)
        try list.list("buckets", &buckets)
        try list.text("cursor", &cursor)
    }
}

/// One bucket of a person's totals.
public struct PersonBucket: JSONPayload, TotalsHolder, Hashable {
    /// Its first instant, in seconds since 1970.
    public var start = 0.0
    /// The sums, merged over the person's devices.
    public var totals = Totals()
    /// The active time with a known distance, in seconds; absent without distance.
    public var distanceActiveSeconds: Double?
    /// Crank revolutions a minute of active time, from the devices in the sums; absent without revolutions.
    public var rpm: CadenceFigures?
    /// Steps a minute of active time, from the devices in the sums; absent without steps.
    public var spm: CadenceFigures?
    /// The count of each device, and the part of it that is in the sums.
    public var sources: [SourceShare] = []

    package init() {}

    package init(
        start: Double, totals: Totals = Totals(), distanceActiveSeconds: Double? = nil, rpm: CadenceFigures? = nil,
        spm: CadenceFigures? = nil, sources: [SourceShare] = []
    ) {
        self.start = start
        self.totals = totals
        self.distanceActiveSeconds = distanceActiveSeconds
        self.rpm = rpm
        self.spm = spm
        self.sources = sources
    }

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.time("start", &start)
        try totals.fields(&list)
        try list.number("distance_active_s", &distanceActiveSeconds, in: PayloadLimits.durationSeconds, decimals: 3)
        try list.rpm(&rpm)
        try list.spm(&spm)
        try list.list("by_source", &sources)
    }
}

/// The count of one device for a person in one bucket.
public struct SourceShare: JSONPayload, Hashable {
    /// The device.
    public var device = DeviceID()
    /// Steps counted by the device while it was assigned to the person.
    public var steps: UInt64 = 0
    /// The part of `steps` in the person's total.
    public var stepsUsed: UInt64 = 0
    /// Crank revolutions counted by the device while it was assigned to the person.
    public var revolutions: UInt64 = 0
    /// The part of `revolutions` in the person's total.
    public var revolutionsUsed: UInt64 = 0
    /// The time covered by its samples, in seconds.
    public var coveredSeconds = 0.0

    package init() {}

    package init(
        device: DeviceID, steps: UInt64 = 0, stepsUsed: UInt64 = 0, revolutions: UInt64 = 0,
        revolutionsUsed: UInt64 = 0, coveredSeconds: Double = 0
    ) {
        self.device = device
        self.steps = steps
        self.stepsUsed = stepsUsed
        self.revolutions = revolutions
        self.revolutionsUsed = revolutionsUsed
        self.coveredSeconds = coveredSeconds
    }

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.device("device", &device)
        try list.count("steps", &steps)
        try list.count("steps_used", &stepsUsed)
        try list.count("revolutions", &revolutions)
        try list.count("revolutions_used", &revolutionsUsed)
        try list.number("covered_s", &coveredSeconds, in: PayloadLimits.durationSeconds, decimals: 3)
    }
}
