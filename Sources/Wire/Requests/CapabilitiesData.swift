/// The data of `capabilities`: what is available on a device, and if not why. Flat: `"pace":false,"pace_why":"…"`.
public struct CapabilitiesData: JSONPayload, Hashable {
    /// Whose capabilities.
    public var device: DeviceID
    /// What the device is.
    public var kind: DeviceKind
    /// What is available; a capability that is missing here was not told.
    public var availabilities: [Capability: Availability]

    /// Data from its parts.
    public init(device: DeviceID, kind: DeviceKind, availabilities: [Capability: Availability]) {
        self.device = device
        self.kind = kind
        self.availabilities = availabilities
    }

    /// Whether a capability is available.
    public subscript(capability: Capability) -> Bool { availabilities[capability] == .available }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        device = try object.device("device")
        guard let kind = DeviceKind(rawValue: try object.string("kind")) else { throw .outOfRange }
        self.kind = kind
        availabilities = [:]
        for capability in Capability.allCases {
            let isAvailable = try object.bool(capability.rawValue)
            let why = try object.optionalString(
                "\(capability.rawValue)_why", maximumBytes: PayloadLimits.maximumTextBytes)
            availabilities[capability] = isAvailable ? .available : .unavailable(why ?? "")
        }
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("device", device.description)
        writer.field("kind", kind.rawValue)
        for capability in Capability.allCases {
            switch availabilities[capability] {
            case .available: writer.field(capability.rawValue, true)
            case .unavailable(let why):
                writer.field(capability.rawValue, false)
                if !why.isEmpty { writer.field("\(capability.rawValue)_why", why) }
            case nil: writer.field(capability.rawValue, false)
            }
        }
    }
}
