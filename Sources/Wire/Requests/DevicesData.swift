/// The data of `devices`.
public struct DevicesData: JSONPayload, Hashable {
    /// The devices, by their ids.
    public var devices: [DeviceEntry]
    /// Where the next page begins; absent on the last.
    public var cursor: String?

    /// Data from its parts.
    public init(devices: [DeviceEntry], cursor: String? = nil) {
        self.devices = devices
        self.cursor = cursor
    }

    /// The largest payload that is read, in bytes.
    public static var maximumBytes: Int { JSONValue.maximumBytes }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        devices = try object.payloads("devices", of: DeviceEntry.self)
        cursor = try object.optionalString("cursor")
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("devices", devices)
        writer.field("cursor", cursor)
    }
}

/// One device that the bus has seen.
public struct DeviceEntry: JSONPayload, Hashable {
    /// Its id.
    public var device: DeviceID
    /// What it is.
    public var kind: DeviceKind
    /// Where its sensor is, where the operator has said so.
    public var placement: String?
    /// The IANA name of its time zone.
    public var zone: String
    /// When it was first active, in seconds since 1970.
    public var firstT: Double
    /// When it was last active, in seconds since 1970.
    public var lastT: Double
    /// Steps for ever.
    public var steps: UInt64
    /// Crank revolutions for ever.
    public var revolutions: UInt64

    /// An entry from its parts.
    public init(
        device: DeviceID, kind: DeviceKind, placement: String? = nil, zone: String, firstT: Double, lastT: Double,
        steps: UInt64, revolutions: UInt64
    ) {
        self.device = device
        self.kind = kind
        self.placement = placement
        self.zone = zone
        self.firstT = firstT
        self.lastT = lastT
        self.steps = steps
        self.revolutions = revolutions
    }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        device = try object.device("device")
        guard let kind = DeviceKind(rawValue: try object.string("kind")) else { throw .outOfRange }
        self.kind = kind
        placement = try object.optionalString("placement")
        zone = try object.string("zone", maximumBytes: PayloadLimits.maximumZoneBytes)
        firstT = try object.time("first_t")
        lastT = try object.time("last_t")
        steps = try object.uint64("steps")
        revolutions = try object.uint64("revolutions")
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("device", device.description)
        writer.field("kind", kind.rawValue)
        writer.field("placement", placement)
        writer.field("zone", zone)
        writer.field("first_t", firstT, decimals: 3)
        writer.field("last_t", lastT, decimals: 3)
        writer.field("steps", steps)
        writer.field("revolutions", revolutions)
    }
}
