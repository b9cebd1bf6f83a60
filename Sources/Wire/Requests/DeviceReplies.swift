/// The data of `devices`.
package struct DevicesData: JSONPayload, Hashable {
    /// The devices, by their ids.
    package var devices: [DeviceEntry] = []
    /// The cursor of the next page; absent on the last page.
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

/// The availability of one quantity on a device, with a reason if it is missing.
public enum Availability: Sendable, Hashable {
    /// The quantity is available.
    case available
    /// The quantity is not available: the reason and the remedy, in one line.
    case unavailable(String)
}

/// The data of `capabilities`: the quantities of a device, with reasons for gaps. Flat: `"pace":false,"pace_why":"…"`.
public struct CapabilitiesData: JSONPayload, Hashable {
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
    /// The protected verbs that this client may not use, in the order of `RequestVerb.allCases`; empty if it may use
    /// every verb.
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

    /// True if the client may use every verb.
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
        // History without protection sends no such list. Verbs that are not known here cannot be requested anyway.
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
    /// The number of devices with deleted data.
    public var devices: UInt64 = 0
    /// The number of deleted minutes, and of deleted hours beyond the retention of minutes.
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
