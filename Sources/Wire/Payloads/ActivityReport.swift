/// How sure an activity is: the three words of CoreMotion's `CMMotionActivityConfidence`.
public enum ActivityConfidence: String, Sendable, Hashable, CaseIterable {
    /// A guess.
    case low
    /// Likely.
    case medium
    /// Sure.
    case high
}

/// `{device}/activity`: what a device's wearer is doing, and since when.
public struct ActivityReport: JSONPayload, Hashable {
    /// When, in seconds since 1970.
    public var t: Double
    /// What the wearer is doing.
    public var activity: ActivityKind
    /// How sure that is.
    public var confidence: ActivityConfidence
    /// Since when, in seconds since 1970.
    public var since: Double

    /// A report from its parts.
    public init(t: Double, activity: ActivityKind, confidence: ActivityConfidence, since: Double) {
        self.t = t
        self.activity = activity
        self.confidence = confidence
        self.since = since
    }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        t = try object.time("t")
        activity = try object.activity("activity")
        guard let confidence = ActivityConfidence(rawValue: try object.string("confidence")) else { throw .outOfRange }
        self.confidence = confidence
        since = try object.time("since")
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("t", t, decimals: 3)
        writer.field("activity", activity.name)
        writer.field("confidence", confidence.rawValue)
        writer.field("since", since, decimals: 3)
    }
}
