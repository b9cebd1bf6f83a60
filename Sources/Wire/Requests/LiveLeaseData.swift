/// What notices count.
public enum CountedKind: String, Sendable, Hashable, CaseIterable {
    /// Steps.
    case steps
    /// Crank revolutions.
    case revolutions
}

/// The data of `live/start`: a lease on notices. It ends by itself unless it is renewed, which is the same request
/// again.
public struct LiveLeaseData: JSONPayload, Hashable {
    /// Whose steps or revolutions.
    public var device: DeviceID
    /// What is counted.
    public var counts: CountedKind
    /// There is a notice at every so many.
    public var every: UInt64
    /// Since when it is counted, in seconds since 1970.
    public var from: Double
    /// How many there were so far.
    public var counted: UInt64
    /// The number of the last notice due so far; the first one is 1.
    public var number: UInt64
    /// Until when notices come without a renewal, in seconds since 1970.
    public var expiresT: Double

    /// Data from its parts.
    public init(
        device: DeviceID, counts: CountedKind, every: UInt64, from: Double, counted: UInt64, number: UInt64,
        expiresT: Double
    ) {
        self.device = device
        self.counts = counts
        self.every = every
        self.from = from
        self.counted = counted
        self.number = number
        self.expiresT = expiresT
    }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        device = try object.device("device")
        counts = try object.countedKind("counts")
        every = try object.uint64("every")
        from = try object.time("from")
        counted = try object.uint64("counted")
        number = try object.uint64("number")
        expiresT = try object.time("expires_t")
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("device", device.description)
        writer.field("counts", counts.rawValue)
        writer.field("every", every)
        writer.field("from", from, decimals: 3)
        writer.field("counted", counted)
        writer.field("number", number)
        writer.field("expires_t", expiresT, decimals: 3)
    }
}

/// The data of `live/stop`.
public struct LiveStopData: JSONPayload, Hashable {
    /// Whose notices.
    public var device: DeviceID
    /// Whether there was a lease to end.
    public var wasActive: Bool

    /// Data from its parts.
    public init(device: DeviceID, wasActive: Bool) {
        self.device = device
        self.wasActive = wasActive
    }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        device = try object.device("device")
        wasActive = try object.bool("stopped")
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("device", device.description)
        writer.field("stopped", wasActive)
    }
}

extension JSONObject {
    /// The word of what is counted.
    func countedKind(_ name: String) throws(WireError) -> CountedKind {
        guard let kind = CountedKind(rawValue: try string(name)) else { throw .outOfRange }
        return kind
    }
}
