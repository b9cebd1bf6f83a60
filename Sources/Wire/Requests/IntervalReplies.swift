/// The data of `history/days`.
public struct DaysData: JSONPayload, Hashable {
    /// The device that was asked about.
    public var device = DeviceID()
    /// The days, in their order.
    public var days: [DayTotals] = []
    /// The beginning of the next page; absent on the last.
    public var cursor: String?

    package init() {}

    package init(device: DeviceID, days: [DayTotals], cursor: String? = nil) {
        self.device = device
        self.days = days
        self.cursor = cursor
    }

    package static var maximumBytes: Int { JSONValue.maximumBytes }

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.device("device", &device)
        try list.list("days", &days)
        try list.text("cursor", &cursor)
    }
}

/// The data of `history/interval`: one record for `[from, to)`.
///
/// It has what CoreMotion's `CMPedometerData` has, by other names and in per-minute units, and what that lacks.
public struct IntervalData: JSONPayload, TotalsHolder, Hashable {
    /// The device that was asked about.
    public var device = DeviceID()
    /// Its beginning, in seconds since 1970.
    public var from = 0.0
    /// Its end, not included, in seconds since 1970.
    public var to = 0.0
    /// The sums of the interval.
    public var totals = Totals()
    /// Crank revolutions a minute of active time; absent without any.
    public var rpm: CadenceFigures?
    /// Steps a minute of active time; absent without any.
    public var spm: CadenceFigures?
    /// Seconds of the active time whose distance is known; absent without distance. It is less than the active time
    /// where the length of a step or turn was not known all the while, and pace and speed are those of this part.
    public var distanceActiveSeconds: Double?
    /// Seconds a metre of the active time whose distance is known; absent without distance.
    public var paceAverageSecondsPerMetre: Double?
    /// Cadence and pace of the last minute, of an interval that reaches up to now; absent where nothing moves.
    public var now = MomentaryFigures()
    /// The unit of `from` and `to`, in seconds: both are whole multiples of it.
    public var resolutionSeconds = 60
    /// True if the interval asked for begins or ends inside such a multiple, so that this record is about another one.
    public var cutsResolution = false

    /// Strides: two steps each, a step left over not counted.
    public var strides: UInt64 { totals.steps / 2 }
    /// Kilometres an hour of the active time whose distance is known; nil without revolutions that have a length.
    public var speedAverageKilometresPerHour: Double? {
        // From the rounded numbers that are written, so that what is read and written again stays the same.
        let millimetres = (totals.distanceMetres * 1000).rounded()
        let milliseconds = ((distanceActiveSeconds ?? totals.activeSeconds) * 1000).rounded()
        return totals.revolutions > 0 && millimetres > 0 && milliseconds > 0 ? 3.6 * millimetres / milliseconds : nil
    }

    package init() {}

    package init(
        device: DeviceID, from: Double, to: Double, totals: Totals = Totals(), rpm: CadenceFigures? = nil,
        spm: CadenceFigures? = nil, distanceActiveSeconds: Double? = nil, paceAverageSecondsPerMetre: Double? = nil
    ) {
        self.device = device
        self.from = from
        self.to = to
        self.totals = totals
        self.rpm = rpm
        self.spm = spm
        self.distanceActiveSeconds = distanceActiveSeconds
        self.paceAverageSecondsPerMetre = paceAverageSecondsPerMetre
    }

    /// The fields of the payload; `strides` and `speed_avg_kmh` are written for readers that do not compute.
    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.device("device", &device)
        try list.time("from", &from)
        try list.time("to", &to)
        var computed = (strides: Optional(strides), speed: speedAverageKilometresPerHour)
        try list.count("steps", &totals.steps)
        try list.count("strides", &computed.strides)
        try list.count("revolutions", &totals.revolutions)
        try totals.distance(&list)
        try totals.times(&list)
        try list.number("distance_active_s", &distanceActiveSeconds, in: PayloadLimits.durationSeconds, decimals: 3)
        try list.rpm(&rpm)
        try list.spm(&spm)
        try list.number(
            "pace_avg_s_per_m", &paceAverageSecondsPerMetre, in: PayloadLimits.paceSecondsPerMetre, decimals: 4)
        try list.number(
            "speed_avg_kmh", &computed.speed, in: 0...Double.greatestFiniteMagnitude, decimals: 2)
        try now.fields(&list)
        try list.floors(&totals.floors)
        try list.whole("resolution_s", &resolutionSeconds, in: 1...86_400)
        var partial = Optional(cutsResolution)
        try list.flag("partial_minute", &partial)
        cutsResolution = partial ?? false
    }
}

/// Cadence and pace of the last minute.
public struct MomentaryFigures: JSONPayload, Hashable {
    /// Crank revolutions a minute.
    public var cadenceRPM: Double?
    /// Steps a minute.
    public var cadenceSPM: Double?
    /// Seconds a metre.
    public var paceSecondsPerMetre: Double?
    /// Kilometres an hour, of bikes.
    public var speedKilometresPerHour: Double?

    /// Nothing moves.
    package init() {}

    package init(
        cadenceRPM: Double? = nil, cadenceSPM: Double? = nil, paceSecondsPerMetre: Double? = nil,
        speedKilometresPerHour: Double? = nil
    ) {
        self.cadenceRPM = cadenceRPM
        self.cadenceSPM = cadenceSPM
        self.paceSecondsPerMetre = paceSecondsPerMetre
        self.speedKilometresPerHour = speedKilometresPerHour
    }

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.number("cadence_now_rpm", &cadenceRPM, in: PayloadLimits.cadence, decimals: 2)
        try list.number("cadence_now_spm", &cadenceSPM, in: PayloadLimits.cadence, decimals: 2)
        try list.number(
            "pace_now_s_per_m", &paceSecondsPerMetre, in: PayloadLimits.paceSecondsPerMetre, decimals: 4)
        try list.number(
            "speed_now_kmh", &speedKilometresPerHour, in: PayloadLimits.speedKilometresPerHour, decimals: 2)
    }
}

/// The data of `history/series`.
public struct SeriesData: JSONPayload, Hashable {
    /// The device that was asked about.
    public var device = DeviceID()
    /// The length of each bucket.
    public var bucket = Bucket.minute
    /// The buckets, in their order.
    public var buckets: [SeriesBucket] = []
    /// The beginning of the next page; absent on the last.
    public var cursor: String?

    package init() {}

    package init(device: DeviceID, bucket: Bucket, buckets: [SeriesBucket], cursor: String? = nil) {
        self.device = device
        self.bucket = bucket
        self.buckets = buckets
        self.cursor = cursor
    }

    package static var maximumBytes: Int { JSONValue.maximumBytes }

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.device("device", &device)
        try list.word("bucket", &bucket)
        try list.list("buckets", &buckets)
        try list.text("cursor", &cursor)
    }
}

/// One bucket of a series.
public struct SeriesBucket: JSONPayload, TotalsHolder, Hashable {
    /// Its first instant, in seconds since 1970.
    public var start = 0.0
    /// The sums of the bucket.
    public var totals = Totals()
    /// Crank revolutions a minute of active time; absent without any.
    public var rpm: CadenceFigures?
    /// Steps a minute of active time; absent without any.
    public var spm: CadenceFigures?

    package init() {}

    package init(
        start: Double, totals: Totals = Totals(), rpm: CadenceFigures? = nil, spm: CadenceFigures? = nil
    ) {
        self.start = start
        self.totals = totals
        self.rpm = rpm
        self.spm = spm
    }

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.time("start", &start)
        try list.count("steps", &totals.steps)
        try list.count("revolutions", &totals.revolutions)
        try totals.distance(&list)
        try list.rpm(&rpm)
        try list.spm(&spm)
        try totals.times(&list)
        try list.floors(&totals.floors)
    }
}

/// The data of `history/activity`: what the wearer did, stretch after stretch.
package struct ActivityData: JSONPayload, Hashable {
    /// The device that was asked about; `nil` where it was a person.
    package var device: DeviceID?
    /// The person who was asked about; `nil` where it was a device.
    package var person: String?
    /// The stretches, in their order, without overlap; where nothing was known there is none.
    package var segments: [ActivitySegment] = []
    /// The beginning of the next page; absent on the last.
    package var cursor: String?

    package init() {}

    package init(
        device: DeviceID? = nil, person: String? = nil, segments: [ActivitySegment], cursor: String? = nil
    ) {
        self.device = device
        self.person = person
        self.segments = segments
        self.cursor = cursor
    }

    package static var maximumBytes: Int { JSONValue.maximumBytes }

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.device("device", &device)
        try list.text("person", &person)
        try list.list("segments", &segments)
        try list.text("cursor", &cursor)
    }
}

/// A stretch of one activity.
public struct ActivitySegment: JSONPayload, Hashable {
    /// Its first instant, in seconds since 1970.
    public var start = 0.0
    /// Its end, not included, in seconds since 1970.
    public var end = 0.0
    /// The activity of the wearer.
    public var activity = ActivityKind.unknown
    /// The confidence in the activity.
    public var confidence = ActivityConfidence.low
    /// Steps.
    public var steps: UInt64 = 0
    /// Crank revolutions.
    public var revolutions: UInt64 = 0

    package init() {}

    package init(
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

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.time("start", &start)
        try list.time("end", &end)
        try list.activity("activity", &activity)
        try list.word("confidence", &confidence)
        try list.count("steps", &steps)
        try list.count("revolutions", &revolutions)
    }
}
