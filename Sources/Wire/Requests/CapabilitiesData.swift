/// The data of `capabilities`: what is available on a device, and if not why. Flat: `"pace":false,"pace_why":"…"`.
public struct CapabilitiesData: JSONPayload, Hashable {
    /// Whose capabilities.
    public var device: DeviceID
    /// What the device is.
    public var kind: DeviceKind
    /// The IANA name of the zone whose calendar the device's days have; nil where history does not tell it.
    public var zone: String?
    /// What is available; a capability that is missing here was not told.
    public var availabilities: [Capability: Availability]
    /// The verbs that history protects from this asker, in the order of `RequestVerb.allCases`; empty for one who may
    /// ask everything.
    public var unauthorisedVerbs: [RequestVerb]

    /// Data from its parts.
    public init(
        device: DeviceID, kind: DeviceKind, zone: String? = nil, availabilities: [Capability: Availability],
        unauthorisedVerbs: [RequestVerb] = []
    ) {
        self.device = device
        self.kind = kind
        self.zone = zone
        self.availabilities = availabilities
        self.unauthorisedVerbs = unauthorisedVerbs
    }

    /// Whether the asker may ask everything that there is to ask.
    public var isAuthorised: Bool { unauthorisedVerbs.isEmpty }

    /// Whether a capability is available.
    public subscript(capability: Capability) -> Bool { availabilities[capability] == .available }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        device = try object.device("device")
        guard let kind = DeviceKind(rawValue: try object.string("kind")) else { throw .outOfRange }
        self.kind = kind
        zone = try object.optionalString("zone", maximumBytes: PayloadLimits.maximumZoneBytes)
        availabilities = [:]
        for capability in Capability.allCases {
            let isAvailable = try object.bool(capability.rawValue)
            let why = try object.optionalString(
                "\(capability.rawValue)_why", maximumBytes: PayloadLimits.maximumTextBytes)
            availabilities[capability] = isAvailable ? .available : .unavailable(why ?? "")
        }
        unauthorisedVerbs = try Self.unauthorisedVerbs(object)
    }

    /// A history without protection says nothing of it; a verb that is not known here cannot be asked anyway.
    private static func unauthorisedVerbs(_ object: JSONObject) throws(WireError) -> [RequestVerb] {
        guard try object.optionalBool("authorised") == false else { return [] }
        let words = try object.optionalString("not_authorised", maximumBytes: PayloadLimits.maximumTextBytes) ?? ""
        let names = Set(words.split(separator: ",").map(String.init))
        return RequestVerb.allCases.filter { names.contains($0.rawValue) }
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("device", device.description)
        writer.field("kind", kind.rawValue)
        writer.field("zone", zone)
        for capability in Capability.allCases {
            switch availabilities[capability] {
            case .available: writer.field(capability.rawValue, true)
            case .unavailable(let why):
                writer.field(capability.rawValue, false)
                if !why.isEmpty { writer.field("\(capability.rawValue)_why", why) }
            case nil: writer.field(capability.rawValue, false)
            }
        }
        writer.field("authorised", isAuthorised)
        guard !isAuthorised else { return }
        writer.field("not_authorised", unauthorisedVerbs.map(\.rawValue).joined(separator: ","))
    }
}
