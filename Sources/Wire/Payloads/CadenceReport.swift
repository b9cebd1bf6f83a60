/// `{device}/cadence`: what a device's cadence is now.
public struct CadenceReport: JSONPayload, Hashable {
    /// When, in seconds since 1970.
    public var t: Double
    /// Crank revolutions a minute, for bikes.
    public var rpm: Double?
    /// Steps a minute, for walkers.
    public var spm: Double?
    /// How sure the counter is, 0 … 1.
    public var confidence: Double
    /// What the device's wearer is doing.
    public var state: ActivityKind
    /// Crank revolutions counted for ever, for bikes.
    public var revolutions: UInt64?
    /// Kilometres an hour, for bikes whose crank revolution has a length.
    public var speedKilometresPerHour: Double?

    /// A report from its parts.
    public init(
        t: Double, rpm: Double? = nil, spm: Double? = nil, confidence: Double, state: ActivityKind,
        revolutions: UInt64? = nil, speedKilometresPerHour: Double? = nil
    ) {
        self.t = t
        self.rpm = rpm
        self.spm = spm
        self.confidence = confidence
        self.state = state
        self.revolutions = revolutions
        self.speedKilometresPerHour = speedKilometresPerHour
    }

    /// Whether it tells of a movement: a stop is told as a cadence of 0.
    public var isMoving: Bool { max(rpm ?? 0, spm ?? 0) > 0 }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        t = try object.time("t")
        rpm = try object.optionalDouble("rpm", in: PayloadLimits.cadence)
        spm = try object.optionalDouble("spm", in: PayloadLimits.cadence)
        confidence = try object.double("confidence", in: 0...1)
        state = try object.activity("state")
        revolutions = try object.optionalUInt64("revolutions")
        speedKilometresPerHour = try object.optionalDouble("speed_kmh", in: PayloadLimits.speedKilometresPerHour)
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("t", t, decimals: 3)
        writer.field("rpm", rpm, decimals: 2)
        writer.field("spm", spm, decimals: 2)
        writer.field("confidence", confidence, decimals: 2)
        writer.field("state", state.name)
        writer.field("revolutions", revolutions)
        writer.field("speed_kmh", speedKilometresPerHour, decimals: 2)
    }
}
