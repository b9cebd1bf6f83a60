/// The data of `history/interval`: one record for `[from, to)`.
///
/// It has what CoreMotion's `CMPedometerData` has, by other names and in per-minute units, and what that lacks.
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
    /// Crank revolutions a minute of active time; absent without any.
    public var rpm: CadenceFigures?
    /// Steps a minute of active time; absent without any.
    public var spm: CadenceFigures?
    /// Seconds a metre of active time; absent without distance.
    public var paceAverageSecondsPerMetre: Double?
    /// What is so in the last minute, of an interval that reaches up to now; absent where nothing moves.
    public var now = MomentaryFigures()
    /// Floors gone up, where known.
    public var floorsAscended: UInt64?
    /// Floors gone down, where known.
    public var floorsDescended: UInt64?
    /// What `from` and `to` are whole multiples of, in seconds.
    public var resolutionSeconds: Int
    /// Whether the interval asked for begins or ends inside such a multiple, so that this record is about another one.
    public var cutsResolution: Bool

    /// Strides: two steps each, a step left over not counted.
    public var strides: UInt64 { steps / 2 }
    /// Kilometres an hour of active time; nil without revolutions that have a length.
    public var speedAverageKilometresPerHour: Double? {
        // Of what is written, so that what is read and written again stays the same.
        let millimetres = (distanceMetres * 1000).rounded()
        let milliseconds = (activeSeconds * 1000).rounded()
        return revolutions > 0 && millimetres > 0 && milliseconds > 0 ? 3.6 * millimetres / milliseconds : nil
    }

    /// Data from its parts.
    public init(
        device: DeviceID, from: Double, to: Double, steps: UInt64 = 0, revolutions: UInt64 = 0,
        distanceMetres: Double = 0, activeSeconds: Double = 0, coveredSeconds: Double = 0, rpm: CadenceFigures? = nil,
        spm: CadenceFigures? = nil, paceAverageSecondsPerMetre: Double? = nil, floorsAscended: UInt64? = nil,
        floorsDescended: UInt64? = nil, resolutionSeconds: Int = 60, cutsResolution: Bool = false
    ) {
        self.device = device
        self.from = from
        self.to = to
        self.steps = steps
        self.revolutions = revolutions
        self.distanceMetres = distanceMetres
        self.activeSeconds = activeSeconds
        self.coveredSeconds = coveredSeconds
        self.rpm = rpm
        self.spm = spm
        self.paceAverageSecondsPerMetre = paceAverageSecondsPerMetre
        self.floorsAscended = floorsAscended
        self.floorsDescended = floorsDescended
        self.resolutionSeconds = resolutionSeconds
        self.cutsResolution = cutsResolution
    }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        self.init(
            device: try object.device("device"), from: try object.time("from"), to: try object.time("to"),
            steps: try object.uint64("steps"), revolutions: try object.uint64("revolutions"),
            distanceMetres: try object.double("distance_m", in: PayloadLimits.distanceMetres),
            activeSeconds: try object.double("active_s", in: PayloadLimits.durationSeconds),
            coveredSeconds: try object.double("covered_s", in: PayloadLimits.durationSeconds),
            rpm: try CadenceFigures(object: object, unit: .revolutionsPerMinute),
            spm: try CadenceFigures(object: object, unit: .stepsPerMinute),
            paceAverageSecondsPerMetre: try object.optionalDouble(
                "pace_avg_s_per_m", in: PayloadLimits.paceSecondsPerMetre),
            floorsAscended: try object.optionalUInt64("floors_ascended"),
            floorsDescended: try object.optionalUInt64("floors_descended"),
            resolutionSeconds: try object.int("resolution_s", in: 1...86_400),
            cutsResolution: try object.optionalBool("partial_minute") ?? false)
        now = try MomentaryFigures(object: object)
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("device", device.description)
        writer.field("from", from, decimals: 3)
        writer.field("to", to, decimals: 3)
        writer.field("steps", steps)
        writer.field("strides", strides)
        writer.field("revolutions", revolutions)
        writer.field("distance_m", distanceMetres, decimals: 3)
        writer.field("active_s", activeSeconds, decimals: 3)
        writer.field("covered_s", coveredSeconds, decimals: 3)
        rpm?.writeFields(to: &writer, unit: .revolutionsPerMinute)
        spm?.writeFields(to: &writer, unit: .stepsPerMinute)
        writer.field("pace_avg_s_per_m", paceAverageSecondsPerMetre, decimals: 4)
        writer.field("speed_avg_kmh", speedAverageKilometresPerHour, decimals: 2)
        now.writeFields(to: &writer)
        writer.field("floors_ascended", floorsAscended)
        writer.field("floors_descended", floorsDescended)
        writer.field("resolution_s", resolutionSeconds)
        writer.field("partial_minute", cutsResolution)
    }
}

/// Cadence and pace of the last minute.
public struct MomentaryFigures: Sendable, Hashable {
    /// Crank revolutions a minute.
    public var cadenceRPM: Double?
    /// Steps a minute.
    public var cadenceSPM: Double?
    /// Seconds a metre.
    public var paceSecondsPerMetre: Double?
    /// Kilometres an hour, of bikes.
    public var speedKilometresPerHour: Double?

    /// Figures from their parts.
    public init(
        cadenceRPM: Double? = nil, cadenceSPM: Double? = nil, paceSecondsPerMetre: Double? = nil,
        speedKilometresPerHour: Double? = nil
    ) {
        self.cadenceRPM = cadenceRPM
        self.cadenceSPM = cadenceSPM
        self.paceSecondsPerMetre = paceSecondsPerMetre
        self.speedKilometresPerHour = speedKilometresPerHour
    }

    init(object: JSONObject) throws(WireError) {
        cadenceRPM = try object.optionalDouble("cadence_now_rpm", in: PayloadLimits.cadence)
        cadenceSPM = try object.optionalDouble("cadence_now_spm", in: PayloadLimits.cadence)
        paceSecondsPerMetre = try object.optionalDouble("pace_now_s_per_m", in: PayloadLimits.paceSecondsPerMetre)
        speedKilometresPerHour = try object.optionalDouble(
            "speed_now_kmh", in: PayloadLimits.speedKilometresPerHour)
    }

    func writeFields(to writer: inout JSONWriter) {
        writer.field("cadence_now_rpm", cadenceRPM, decimals: 2)
        writer.field("cadence_now_spm", cadenceSPM, decimals: 2)
        writer.field("pace_now_s_per_m", paceSecondsPerMetre, decimals: 4)
        writer.field("speed_now_kmh", speedKilometresPerHour, decimals: 2)
    }
}
