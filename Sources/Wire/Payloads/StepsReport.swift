/// `{device}/steps`: steps as they are counted.
public struct StepsReport: JSONPayload, Hashable {
    /// When, in seconds since 1970.
    public var t: Double
    /// Steps since the report before.
    public var steps: Int
    /// Steps for ever.
    public var total: UInt64
    /// Steps a minute.
    public var cadenceSPM: Double
    /// Metres for ever, where the length of a stride is known.
    public var distanceMetres: Double?
    /// Seconds a metre now, where the length of a stride is known.
    public var paceSecondsPerMetre: Double?

    /// A report from its parts.
    public init(
        t: Double, steps: Int, total: UInt64, cadenceSPM: Double, distanceMetres: Double? = nil,
        paceSecondsPerMetre: Double? = nil
    ) {
        self.t = t
        self.steps = steps
        self.total = total
        self.cadenceSPM = cadenceSPM
        self.distanceMetres = distanceMetres
        self.paceSecondsPerMetre = paceSecondsPerMetre
    }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        t = try object.time("t")
        steps = try object.int("steps")
        total = try object.uint64("total")
        cadenceSPM = try object.double("cadence_spm", in: PayloadLimits.cadence)
        distanceMetres = try object.optionalDouble("distance_m", in: PayloadLimits.distanceMetres)
        paceSecondsPerMetre = try object.optionalDouble("pace_s_per_m", in: PayloadLimits.paceSecondsPerMetre)
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("t", t, decimals: 3)
        writer.field("steps", steps)
        writer.field("total", total)
        writer.field("cadence_spm", cadenceSPM, decimals: 2)
        writer.field("distance_m", distanceMetres, decimals: 3)
        writer.field("pace_s_per_m", paceSecondsPerMetre, decimals: 4)
    }
}
