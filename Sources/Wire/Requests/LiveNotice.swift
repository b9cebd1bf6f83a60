/// The data of a notice of `live/start`: `every` more were counted.
///
/// A notice may come twice, since it travels with QoS 1 and its sender may die between its acknowledgement and its own
/// note of that; its number says so. None is left out.
public struct LiveNotice: JSONPayload, Hashable {
    /// Whose steps or revolutions.
    public var device: DeviceID
    /// What is counted.
    public var counts: CountedKind
    /// Counts the notices of a lease from 1, without a gap.
    public var number: UInt64
    /// How many there were since the lease's beginning: `number` times `every`.
    public var counted: UInt64
    /// How many there were today, by the device's own calendar, when the notice was sent.
    public var today: UInt64
    /// When the notice was sent, in seconds since 1970.
    public var t: Double

    /// A notice from its parts.
    public init(device: DeviceID, counts: CountedKind, number: UInt64, counted: UInt64, today: UInt64, t: Double) {
        self.device = device
        self.counts = counts
        self.number = number
        self.counted = counted
        self.today = today
        self.t = t
    }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        device = try object.device("device")
        counts = try object.countedKind("counts")
        number = try object.uint64("number")
        counted = try object.uint64("counted")
        today = try object.uint64("today")
        t = try object.time("t")
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("device", device.description)
        writer.field("counts", counts.rawValue)
        writer.field("number", number)
        writer.field("counted", counted)
        writer.field("today", today)
        writer.field("t", t, decimals: 3)
    }
}
