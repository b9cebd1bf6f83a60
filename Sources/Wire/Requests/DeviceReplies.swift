/// The data of `devices`.
package struct DevicesData: JSONPayload, Hashable {
    /// The devices, by their ids.
    package var devices: [DeviceEntry] = []
    /// The beginning of the next page; absent on the last.
    package var cursor: String?

    package init() {}

    package init(devices: [DeviceEntry], cursor: String? = nil) {
        self.devices = devices
        self.cursor = cursor
    }

    package static var maximumBytes: Int { JSONValue.maximumBytes }

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.list("devices", &devices)
        try list.text("cursor", &cursor)
    }
}

/// One device that the bus has seen.
public struct DeviceEntry: JSONPayload, Hashable {
    /// Its id.
    public var device = DeviceID()
    /// The kind of device.
    public var kind = DeviceKind.unknown
    /// The placement of its sensor; nil where no operator has set one.
    public var placement: String?
    /// The IANA name of its time zone.
    public var zone = ""
    /// The time of its first activity, in seconds since 1970.
    public var firstT = 0.0
    /// The time of its last activity, in seconds since 1970.
    public var lastT = 0.0
    /// Steps for ever.
    public var steps: UInt64 = 0
    /// Crank revolutions for ever.
    public var revolutions: UInt64 = 0
    /// True if no operator has said anything about it: it works with defaults.
    public var isNew = false

    package init() {}

    package init(
        device: DeviceID, kind: DeviceKind, placement: String? = nil, zone: String, firstT: Double, lastT: Double,
        steps: UInt64, revolutions: UInt64, isNew: Bool = false
    ) {
        self.device = device
        self.kind = kind
        self.placement = placement
        self.zone = zone
        self.firstT = firstT
        self.lastT = lastT
        self.steps = steps
        self.revolutions = revolutions
        self.isNew = isNew
    }

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.device("device", &device)
        try list.word("kind", &kind)
        try list.text("placement", &placement)
        try list.text("zone", &zone, maximumBytes: PayloadLimits.maximumZoneBytes)
        try list.time("first_t", &firstT)
        try list.time("last_t", &lastT)
        try list.count("steps", &steps)
        try list.count("revolutions", &revolutions)
        var new = isNew ? true : nil
        try list.flag("new", &new)
        isNew = new ?? false
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

/// The availability of one quantity on a device, with the reason where it is missing.
public enum Availability: Sendable, Hashable {
    /// It is.
    case available
    /// It is not: why, and what to do, in one line.
    case unavailable(String)
}

/// The data of `capabilities`: what is available on a device, and if not why. Flat: `"pace":false,"pace_why":"…"`.
public struct CapabilitiesData: JSONPayload, Hashable {
    /// The device that was asked about.
    public var device = DeviceID()
    /// The kind of device.
    public var kind = DeviceKind.unknown
    /// The IANA name of the zone whose calendar the device's days have; nil where history does not know it.
    public var zone: String?
    /// The availability of each capability; one that is missing here is unknown.
    public var availabilities: [Capability: Availability] = [:]
    /// The note of the device's health on what its messages lack.
    public var note: String?
    /// The verbs that history protects from this asker, in the order of `RequestVerb.allCases`; empty for an asker who
    /// may ask everything.
    public var unauthorisedVerbs: [RequestVerb] = []

    package init() {}

    package init(
        device: DeviceID, kind: DeviceKind, zone: String? = nil, availabilities: [Capability: Availability],
        unauthorisedVerbs: [RequestVerb] = []
    ) {
        self.device = device
        self.kind = kind
        self.zone = zone
        self.availabilities = availabilities
        self.unauthorisedVerbs = unauthorisedVerbs
    }

    /// True if the asker may ask everything that there is to ask.
    public var isAuthorised: Bool { unauthorisedVerbs.isEmpty }

    /// True if a capability is available.
    public subscript(capability: Capability) -> Bool { availabilities[capability] == .available }

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.device("device", &device)
        try list.word("kind", &kind)
        try list.text("zone", &zone, maximumBytes: PayloadLimits.maximumZoneBytes)
        for capability in Capability.allCases { try availability(of: capability, &list) }
        try list.text("note", &note)
        var isAuthorised = Optional(isAuthorised)
        try list.flag("authorised", &isAuthorised)
        var words = unauthorisedVerbs.isEmpty ? nil : unauthorisedVerbs.map(\.rawValue).joined(separator: ",")
        try list.text("not_authorised", &words)
        // A history without protection says nothing of it; a verb that is not known here cannot be asked anyway.
        let names = isAuthorised == false ? Set((words ?? "").split(separator: ",").map(String.init)) : []
        unauthorisedVerbs = RequestVerb.allCases.filter { names.contains($0.rawValue) }
    }

    private mutating func availability<List: FieldList>(
        of capability: Capability, _ list: inout List
    ) throws(WireError) {
        var isAvailable = self[capability]
        try list.flag(capability.rawValue, &isAvailable)
        var why: String?
        if case .unavailable(let text)? = availabilities[capability], !text.isEmpty { why = text }
        try list.text("\(capability.rawValue)_why", &why)
        availabilities[capability] = isAvailable ? .available : .unavailable(why ?? "")
    }
}

/// The data of `people/forget` and `devices/forget`: what was deleted.
public struct ForgetData: JSONPayload, Hashable {
    /// Devices about which something was deleted.
    public var devices: UInt64 = 0
    /// Minutes, and hours beyond the retention of minutes, that were deleted.
    public var minutes: UInt64 = 0

    package init() {}

    package init(devices: UInt64, minutes: UInt64) {
        self.devices = devices
        self.minutes = minutes
    }

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.count("devices", &devices)
        try list.count("minutes", &minutes)
    }
}
