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
public struct DayTotals: FieldPayload, Counted, Hashable {
    /// When it was so, in seconds since 1970; present only in retained messages.
    public var t: Double?
    /// The local date, `YYYY-MM-DD`.
    public var date = ""
    /// The IANA name of the day's time zone.
    public var zone = ""
    /// What was counted that day.
    public var counts = Counts()
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
        try counts.fields(&list)
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
public struct DeviceTotals: FieldPayload, Counted, Hashable {
    /// When it was so, in seconds since 1970.
    public var t = 0.0
    /// What was counted since the device or person was first seen.
    public var counts = Counts()
    /// Grows with every change.
    public var revision: UInt64 = 0
    /// The person's name; absent for a device.
    public var person: String?

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("t", &t, .time)
        try counts.fields(&list)
        try list.field("revision", &revision, .count)
        try list.field("person", &person, .text)
    }
}
