/// The data of `history/interval`: one record for `[from, to)`.
///
/// It has all values of CoreMotion's `CMPedometerData`, with other names and units per minute, and further ones.
public struct IntervalData: FieldPayload, Counted, Hashable {
    /// The device that was asked about; nil for a person.
    public var device: DeviceID?
    /// The person who was asked about; nil for a device.
    public var person: String?
    /// The start, in seconds since 1970.
    public var from = 0.0
    /// The end, excluded, in seconds since 1970.
    public var to = 0.0
    /// What was counted in it.
    public var counts = Counts()
    /// Crank revolutions a minute of active time; absent without revolutions.
    public var rpm: CadenceFigures?
    /// Steps a minute of active time; absent without steps.
    public var spm: CadenceFigures?
    /// Heart rate and power of the seconds in which they are known.
    public var heart, power: ReadingFigures?
    /// The active time with a known distance, in seconds; absent without distance. It is shorter than the active time
    /// if the length of a step or revolution was unknown for a part of it. Pace and speed refer to it.
    public var distanceActiveSeconds: Double?
    /// The average pace over `distanceActiveSeconds`, in seconds a metre; absent without distance.
    public var paceAverageSecondsPerMetre: Double?
    /// Cadence and pace of the last minute, if the interval reaches up to now; absent without movement.
    public var now = MomentaryFigures()
    /// The unit of `from` and `to`, in seconds: both are whole multiples of it.
    public var resolutionSeconds = 60
    /// True if the requested interval begins or ends between such multiples, so that this record covers another one.
    public var cutsResolution = false

    /// Strides of two steps each; an odd step is not counted.
    public var strides: UInt64 { steps / 2 }
    /// The average speed over `distanceActiveSeconds`, in metres a second; nil without revolutions of known length.
    public var speedAverageMetresPerSecond: Double? {
        let millimetres = Double(counts.distanceMillimetres)
        let milliseconds = distanceActiveSeconds.map { ($0 * 1000).rounded() } ?? Double(counts.activeMilliseconds)
        return counts.revolutions > 0 && millimetres > 0 && milliseconds > 0 ? millimetres / milliseconds : nil
    }

    /// The fields of the payload; `strides` and `speed_avg_m_per_s` are written for readers that do not compute them.
    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("device", &device, .device)
        try list.field("person", &person, .text)
        try list.field("from", &from, .time)
        try list.field("to", &to, .time)
        var computed = (strides: Optional(strides), speed: speedAverageMetresPerSecond)
        try counts.fields(&list)
        try list.field("strides", &computed.strides, .count)
        try list.field("distance_active_s", &distanceActiveSeconds, .seconds)
        try list.cadence("rpm", &rpm)
        try list.cadence("spm", &spm)
        try list.readings(&heart, &power)
        try list.field("pace_avg_s_per_m", &paceAverageSecondsPerMetre, .pace)
        try list.field(
            "speed_avg_m_per_s", &computed.speed, .number(in: 0...Double.greatestFiniteMagnitude, decimals: 3))
        try now.fields(&list)
        try list.field("resolution_s", &resolutionSeconds, .whole(in: 1...86_400))
        try list.field("partial_minute", &cutsResolution, .flag, default: false)
    }
}

/// Cadence and pace of the last minute.
public struct MomentaryFigures: FieldPayload, Hashable {
    /// Crank revolutions a minute.
    public var cadenceRPM: Double?
    /// Steps a minute.
    public var cadenceSPM: Double?
    /// Seconds a metre.
    public var paceSecondsPerMetre: Double?
    /// Metres a second, for bikes.
    public var speedMetresPerSecond: Double?

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("cadence_now_rpm", &cadenceRPM, .cadence)
        try list.field("cadence_now_spm", &cadenceSPM, .cadence)
        try list.field("pace_now_s_per_m", &paceSecondsPerMetre, .pace)
        try list.field("speed_now_m_per_s", &speedMetresPerSecond, .speed)
    }
}

/// One bucket of a series.
public struct SeriesBucket: FieldPayload, Counted, Hashable {
    /// Its first instant, in seconds since 1970.
    public var start = 0.0
    /// What was counted in it.
    public var counts = Counts()
    /// Crank revolutions a minute of active time; absent without revolutions.
    public var rpm: CadenceFigures?
    /// Steps a minute of active time; absent without steps.
    public var spm: CadenceFigures?
    /// Heart rate and power of the seconds in which they are known.
    public var heart, power: ReadingFigures?

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("start", &start, .time)
        try counts.fields(&list)
        try list.cadence("rpm", &rpm)
        try list.cadence("spm", &spm)
        try list.readings(&heart, &power)
    }
}

/// A period of one activity.
public struct ActivitySegment: FieldPayload, Hashable {
    /// Its first instant, in seconds since 1970.
    public var start = 0.0
    /// The end, excluded, in seconds since 1970.
    public var end = 0.0
    /// The activity of the wearer.
    public var activity = ActivityKind.unknown
    /// The share of the time that was the activity, 0 … 1; 0 for an unknown one.
    public var confidence = 0.0
    /// Steps.
    public var steps: UInt64 = 0
    /// Crank revolutions.
    public var revolutions: UInt64 = 0

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("start", &start, .time)
        try list.field("end", &end, .time)
        try list.field("activity", &activity, .activity)
        try list.field("confidence", &confidence, .confidence)
        try list.field("steps", &steps, .count)
        try list.field("revolutions", &revolutions, .count)
    }
}
