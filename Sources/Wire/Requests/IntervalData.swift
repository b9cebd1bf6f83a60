/// The data of `history/interval`: one record for `[from, to)`.
public struct IntervalData: JSONPayload, Hashable {
    /// Whose interval.
    public var device: DeviceID
    /// Its beginning, in seconds since 1970.
    public var from: Double
    /// Its end, not included, in seconds since 1970.
    public var to: Double
    /// Steps.
    public var steps: UInt64
    /// Crank revolutions.
    public var revolutions: UInt64
    /// Metres.
    public var distanceMetres: Double
    /// Seconds with steps or revolutions.
    public var activeSeconds: Double
    /// Seconds for which samples exist.
    public var coveredSeconds: Double
    /// Mean crank revolutions a minute of active time; absent without any.
    public var cadenceAverageRPM: Double?
    /// Mean steps a minute of active time; absent without any.
    public var cadenceAverageSPM: Double?
    /// Seconds a metre of active time; absent without distance.
    public var paceAverageSecondsPerMetre: Double?
    /// Floors gone up, where known.
    public var floorsAscended: UInt64?
    /// Floors gone down, where known.
    public var floorsDescended: UInt64?
    /// What `from` and `to` are whole multiples of, in seconds.
    public var resolutionSeconds: Int

    /// Data from its parts.
    public init(
        device: DeviceID, from: Double, to: Double, steps: UInt64 = 0, revolutions: UInt64 = 0,
        distanceMetres: Double = 0, activeSeconds: Double = 0, coveredSeconds: Double = 0,
        cadenceAverageRPM: Double? = nil, cadenceAverageSPM: Double? = nil, paceAverageSecondsPerMetre: Double? = nil,
        floorsAscended: UInt64? = nil, floorsDescended: UInt64? = nil, resolutionSeconds: Int = 60
    ) {
        self.device = device
        self.from = from
        self.to = to
        self.steps = steps
        self.revolutions = revolutions
        self.distanceMetres = distanceMetres
        self.activeSeconds = activeSeconds
        self.coveredSeconds = coveredSeconds
        self.cadenceAverageRPM = cadenceAverageRPM
        self.cadenceAverageSPM = cadenceAverageSPM
        self.paceAverageSecondsPerMetre = paceAverageSecondsPerMetre
        self.floorsAscended = floorsAscended
        self.floorsDescended = floorsDescended
        self.resolutionSeconds = resolutionSeconds
    }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        device = try object.device("device")
        from = try object.time("from")
        to = try object.time("to")
        steps = try object.uint64("steps")
        revolutions = try object.uint64("revolutions")
        distanceMetres = try object.double("distance_m", in: PayloadLimits.distanceMetres)
        activeSeconds = try object.double("active_s", in: PayloadLimits.durationSeconds)
        coveredSeconds = try object.double("covered_s", in: PayloadLimits.durationSeconds)
        cadenceAverageRPM = try object.optionalDouble("cadence_avg_rpm", in: PayloadLimits.cadence)
        cadenceAverageSPM = try object.optionalDouble("cadence_avg_spm", in: PayloadLimits.cadence)
        paceAverageSecondsPerMetre = try object.optionalDouble(
            "pace_avg_s_per_m", in: PayloadLimits.paceSecondsPerMetre)
        floorsAscended = try object.optionalUInt64("floors_ascended")
        floorsDescended = try object.optionalUInt64("floors_descended")
        resolutionSeconds = try object.int("resolution_s", in: 1...86_400)
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("device", device.description)
        writer.field("from", from, decimals: 3)
        writer.field("to", to, decimals: 3)
        writer.field("steps", steps)
        writer.field("revolutions", revolutions)
        writer.field("distance_m", distanceMetres, decimals: 3)
        writer.field("active_s", activeSeconds, decimals: 3)
        writer.field("covered_s", coveredSeconds, decimals: 3)
        writer.field("cadence_avg_rpm", cadenceAverageRPM, decimals: 2)
        writer.field("cadence_avg_spm", cadenceAverageSPM, decimals: 2)
        writer.field("pace_avg_s_per_m", paceAverageSecondsPerMetre, decimals: 4)
        writer.field("floors_ascended", floorsAscended)
        writer.field("floors_descended", floorsDescended)
        writer.field("resolution_s", resolutionSeconds)
    }
}
