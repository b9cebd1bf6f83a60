/// The sums of a period, common to days, devices, intervals, buckets and people.
public struct Totals: FieldPayload, Hashable {
    /// Steps.
    public var steps: UInt64 = 0
    /// Crank revolutions.
    public var revolutions: UInt64 = 0
    /// Distance, in metres.
    public var distanceMetres = 0.0
    /// The time with steps or revolutions, in seconds.
    public var activeSeconds = 0.0
    /// The time covered by samples, in seconds.
    public var coveredSeconds = 0.0
    /// Floors gone on foot; `nil` if no barometer reported its pressure.
    public var floors: FloorCounts?

    /// `steps`, `revolutions`, `distance_m`, `active_s`, `covered_s`, and the floors if they are known.
    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("steps", &steps, .count)
        try list.field("revolutions", &revolutions, .count)
        try distance(&list)
        try times(&list)
        try list.floors(&floors)
    }

    /// `distance_m`.
    mutating func distance(_ list: inout FieldList) throws(WireError) {
        try list.field("distance_m", &distanceMetres, .metres)
    }

    /// `active_s` and `covered_s`.
    mutating func times(_ list: inout FieldList) throws(WireError) {
        try list.field("active_s", &activeSeconds, .seconds)
        try list.field("covered_s", &coveredSeconds, .seconds)
    }
}

/// A payload with sums, which are read and written under their own names: `day.steps` is `day.totals.steps`.
@dynamicMemberLookup
public protocol TotalsHolder {
    /// The sums.
    var totals: Totals { get set }
}

extension TotalsHolder {
    /// A sum by its name.
    public subscript<Sum>(dynamicMember sum: WritableKeyPath<Totals, Sum>) -> Sum {
        get { totals[keyPath: sum] }
        set { totals[keyPath: sum] = newValue }
    }
}

/// Floors gone on foot, up and down, as measured by a barometer.
public struct FloorCounts: Sendable, Hashable {
    /// Floors gone up.
    public var ascended: UInt64
    /// Floors gone down.
    public var descended: UInt64

    package init(ascended: UInt64 = 0, descended: UInt64 = 0) {
        self.ascended = ascended
        self.descended = descended
    }
}

/// The cadence of a period of active time, per minute.
public struct CadenceFigures: Sendable, Hashable {
    /// The mean, weighted by time.
    public var average: Double
    /// The lowest above 0.
    public var minimum: Double
    /// The highest.
    public var maximum: Double

    package init(average: Double, minimum: Double, maximum: Double) {
        self.average = average
        self.minimum = minimum
        self.maximum = maximum
    }
}

extension FieldList {
    /// `floors_ascended` and `floors_descended`; both absent if floors are unknown.
    mutating func floors(_ floors: inout FloorCounts?) throws(WireError) {
        var (ascended, descended) = (floors?.ascended, floors?.descended)
        try field("floors_ascended", &ascended, .count)
        try field("floors_descended", &descended, .count)
        let isKnown = ascended != nil || descended != nil
        floors = isKnown ? FloorCounts(ascended: ascended ?? 0, descended: descended ?? 0) : nil
    }

    /// `cadence_avg_rpm`, `cadence_min_rpm` and `cadence_max_rpm`, or the same with `spm`; all absent without
    /// revolutions or steps. A missing minimum or maximum is read as the mean.
    mutating func cadence(_ unit: String, _ figures: inout CadenceFigures?) throws(WireError) {
        var (average, minimum, maximum) = (figures?.average, figures?.minimum, figures?.maximum)
        try field("cadence_avg_\(unit)", &average, .cadence)
        try field("cadence_min_\(unit)", &minimum, .cadence)
        try field("cadence_max_\(unit)", &maximum, .cadence)
        figures = average.map { CadenceFigures(average: $0, minimum: minimum ?? $0, maximum: maximum ?? $0) }
    }
}

/// One calendar day of a device or a person: `{device}/day`, `person/{person}/day`, and the records of `history/days`.
public struct DayTotals: FieldPayload, TotalsHolder, Hashable {
    /// When it was so, in seconds since 1970; present only in retained messages.
    public var t: Double?
    /// The local date, `YYYY-MM-DD`.
    public var date = ""
    /// The IANA name of the day's time zone.
    public var zone = ""
    /// The sums of the day.
    public var totals = Totals()
    /// Grows with every change of the day.
    public var revision: UInt64 = 0
    /// True if the day has been over for an hour; late data may still change it.
    public var isFinal = false
    /// The first instant after the day, in seconds since 1970; present only in retained messages.
    public var end: Double?
    /// The person's name; present only in retained messages of people.
    public var person: String?

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("t", &t, .time)
        try list.field("date", &date, .date)
        try list.field("zone", &zone, .zone)
        try totals.fields(&list)
        try list.field("revision", &revision, .count)
        try list.field("final", &isFinal, .flag)
        try list.field("end", &end, .time)
        try list.field("person", &person, .text)
    }
}

extension FieldForm<String> {
    /// `YYYY-MM-DD`
    fileprivate static var date: Self {
        Self(type: .string) { json throws(WireError) in
            let text = try json.text(maximumBytes: 10)
            guard case .localDate = try TimePoint(parsing: text) else { throw .absurdTime }
            return text
        } write: {
            $0.value($1)
        }
    }
}

/// `{device}/total` and `person/{person}/total`: all-time totals.
public struct DeviceTotals: FieldPayload, TotalsHolder, Hashable {
    /// When it was so, in seconds since 1970.
    public var t = 0.0
    /// The sums since the device or person was first seen.
    public var totals = Totals()
    /// Grows with every change.
    public var revision: UInt64 = 0
    /// The person's name; absent for a device.
    public var person: String?

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("t", &t, .time)
        try totals.fields(&list)
        try list.field("revision", &revision, .count)
        try list.field("person", &person, .text)
    }
}
