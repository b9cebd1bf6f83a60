/// The data of `history/days`.
public struct DaysData: JSONPayload, Hashable {
    /// The device that was asked about.
    public var device = DeviceID()
    /// The days, in order.
    public var days: [DayTotals] = []
    /// The cursor of the next page; absent on the last page.
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
/// It has all values of CoreMotion's `CMPedometerData`, with other names and units per minute, and further ones.
public struct IntervalData: JSONPayload, TotalsHolder, Hashable {
    /// The device that was asked about.
    public var device = DeviceID()
    /// The start, in seconds since 1970.
    public var from = 0.0
    /// The end, excluded, in seconds since 1970.
    public var to = 0.0
    /// The sums of the interval.
    public var totals = Totals()
    /// Crank revolutions a minute of active time; absent without revolutions.
    public var rpm: CadenceFigures?
    /// Steps a minute of active time; absent without steps.
    public var spm: CadenceFigures?
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
    public var strides: UInt64 { totals.steps / 2 }
    /// The average speed over `distanceActiveSeconds`, in km/h; nil without revolutions of known length.
    public var speedAverageKilometresPerHour: Double? {
        // From the rounded numbers in the payload, so that reading and writing it again changes nothing.
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

    /// The fields of the payload; `strides` and `speed_avg_kmh` are written for readers that do not compute them.
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
    /// Kilometres an hour, for bikes.
    public var speedKilometresPerHour: Double?

    /// No movement.
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
    /// The buckets, in order.
    public var buckets: [SeriesBucket] = []
    /// The cursor of the next page; absent on the last page.
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
    /// Crank revolutions a minute of active time; absent without revolutions.
    public var rpm: CadenceFigures?
    /// Steps a minute of active time; absent without steps.
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

/// The data of `history/activity`: the activities of the wearer, segment by segment.
package struct ActivityData: JSONPayload, Hashable {
    /// The device that was asked about; `nil` for a person.
    package var device: DeviceID?
    /// The person who was asked about; `nil` for a device.
    package var person: String?
    /// The segments, in order and without overlap; a time without data has none.
    package var segments: [ActivitySegment] = []
    /// The cursor of the next page; absent on the last page.
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

/// A period of one activity.
public struct ActivitySegment: JSONPayload, Hashable {
    /// Its first instant, in seconds since 1970.
    public var start = 0.0
    /// The end, excluded, in seconds since 1970.
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
