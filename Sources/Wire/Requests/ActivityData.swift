/// The data of `history/activity`: what the wearer did, stretch after stretch.
public struct ActivityData: JSONPayload, Hashable {
    /// Whose activity.
    public var device: DeviceID
    /// The stretches, in their order, without overlap; where nothing was known there is none.
    public var segments: [ActivitySegment]
    /// Where the next page begins; absent on the last.
    public var cursor: String?

    /// Data from its parts.
    public init(device: DeviceID, segments: [ActivitySegment], cursor: String? = nil) {
        self.device = device
        self.segments = segments
        self.cursor = cursor
    }

    /// The largest payload that is read, in bytes.
    public static var maximumBytes: Int { JSONValue.maximumBytes }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        device = try object.device("device")
        segments = try object.payloads("segments", of: ActivitySegment.self)
        cursor = try object.optionalString("cursor")
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("device", device.description)
        writer.field("segments", segments)
        writer.field("cursor", cursor)
    }
}

/// A stretch of one activity.
public struct ActivitySegment: JSONPayload, Hashable {
    /// Its first instant, in seconds since 1970.
    public var start: Double
    /// Its end, not included, in seconds since 1970.
    public var end: Double
    /// What the wearer did.
    public var activity: ActivityKind
    /// How sure that is.
    public var confidence: ActivityConfidence
    /// Steps.
    public var steps: UInt64
    /// Crank revolutions.
    public var revolutions: UInt64

    /// A segment from its parts.
    public init(
        start: Double, end: Double, activity: ActivityKind, confidence: ActivityConfidence, steps: UInt64 = 0,
        revolutions: UInt64 = 0
    ) {
        self.start = start
        self.end = end
        self.activity = activity
        self.confidence = confidence
        self.steps = steps
        self.revolutions = revolutions
    }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        start = try object.time("start")
        end = try object.time("end")
        activity = try object.activity("activity")
        guard let confidence = ActivityConfidence(rawValue: try object.string("confidence")) else { throw .outOfRange }
        self.confidence = confidence
        steps = try object.uint64("steps")
        revolutions = try object.uint64("revolutions")
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("start", start, decimals: 3)
        writer.field("end", end, decimals: 3)
        writer.field("activity", activity.name)
        writer.field("confidence", confidence.rawValue)
        writer.field("steps", steps)
        writer.field("revolutions", revolutions)
    }
}
