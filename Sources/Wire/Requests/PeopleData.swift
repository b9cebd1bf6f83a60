/// The data of `people` without a `person`: who has which devices.
public struct PeopleData: JSONPayload, Hashable {
    /// The people, by their names.
    public var people: [PersonEntry]
    /// Where the next page begins; absent on the last.
    public var cursor: String?

    /// Data from its parts.
    public init(people: [PersonEntry], cursor: String? = nil) {
        self.people = people
        self.cursor = cursor
    }

    /// The largest payload that is read, in bytes.
    public static var maximumBytes: Int { JSONValue.maximumBytes }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        people = try object.payloads("people", of: PersonEntry.self)
        cursor = try object.optionalString("cursor")
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("people", people)
        writer.field("cursor", cursor)
    }
}

/// A person and the devices that the person has had.
public struct PersonEntry: JSONPayload, Hashable {
    /// Who.
    public var person: String
    /// Whose data are the person's, and when, in the order of their beginnings.
    public var devices: [AssignmentData]

    /// An entry from its parts.
    public init(person: String, devices: [AssignmentData]) {
        self.person = person
        self.devices = devices
    }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        person = try object.string("person")
        devices = try object.payloads("devices", of: AssignmentData.self)
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("person", person)
        writer.field("devices", devices)
    }
}

/// A device that is a person's for a stretch of time: an entry of `people`, and the data of `people/checkin` and
/// `people/checkout`.
public struct AssignmentData: JSONPayload, Hashable {
    /// Whose.
    public var person: String
    /// What.
    public var device: DeviceID
    /// From when, in seconds since 1970; absent where it has always been so.
    public var from: Double?
    /// Until when, not included, in seconds since 1970; absent where it goes on.
    public var to: Double?

    /// Data from its parts.
    public init(person: String, device: DeviceID, from: Double? = nil, to: Double? = nil) {
        self.person = person
        self.device = device
        self.from = from
        self.to = to
    }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        person = try object.string("person")
        device = try object.device("device")
        from = try object.optionalTime("from")
        to = try object.optionalTime("to")
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("person", person)
        writer.field("device", device.description)
        writer.field("from", from, decimals: 3)
        writer.field("to", to, decimals: 3)
    }
}
