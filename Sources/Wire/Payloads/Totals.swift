/// The sums of a period, common to days, devices, intervals, buckets and people.
public struct Totals: JSONPayload, Hashable {
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

    /// Sums of 0, and unknown floors.
    package init() {}

    package init(
        steps: UInt64 = 0, revolutions: UInt64 = 0, distanceMetres: Double = 0, activeSeconds: Double = 0,
        coveredSeconds: Double = 0, floors: FloorCounts? = nil
    ) {
        self.steps = steps
        self.revolutions = revolutions
        self.distanceMetres = distanceMetres
        self.activeSeconds = activeSeconds
        self.coveredSeconds = coveredSeconds
        self.floors = floors
    }

    /// `steps`, `revolutions`, `distance_m`, `active_s`, `covered_s`, and the floors if they are known.
    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.count("steps", &steps)
        try list.count("revolutions", &revolutions)
        try distance(&list)
        try times(&list)
        try list.floors(&floors)
    }

    /// `distance_m`.
    mutating func distance<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.number("distance_m", &distanceMetres, in: PayloadLimits.distanceMetres, decimals: 3)
    }

    /// `active_s` and `covered_s`.
    mutating func times<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.number("active_s", &activeSeconds, in: PayloadLimits.durationSeconds, decimals: 3)
        try list.number("covered_s", &coveredSeconds, in: PayloadLimits.durationSeconds, decimals: 3)
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
        try count("floors_ascended", &ascended)
        try count("floors_descended", &descended)
        let isKnown = ascended != nil || descended != nil
        floors = isKnown ? FloorCounts(ascended: ascended ?? 0, descended: descended ?? 0) : nil
    }

    /// `cadence_avg_rpm`, `cadence_min_rpm` and `cadence_max_rpm`; all absent without revolutions.
    mutating func rpm(_ figures: inout CadenceFigures?) throws(WireError) {
        try cadence("cadence_avg_rpm", "cadence_min_rpm", "cadence_max_rpm", &figures)
    }

    /// `cadence_avg_spm`, `cadence_min_spm` and `cadence_max_spm`; all absent without steps.
    mutating func spm(_ figures: inout CadenceFigures?) throws(WireError) {
        try cadence("cadence_avg_spm", "cadence_min_spm", "cadence_max_spm", &figures)
    }

    /// A missing minimum or maximum is read as the mean.
    private mutating func cadence(
        _ averageName: String, _ minimumName: String, _ maximumName: String, _ figures: inout CadenceFigures?
    ) throws(WireError) {
        var (average, minimum, maximum) = (figures?.average, figures?.minimum, figures?.maximum)
        try number(averageName, &average, in: PayloadLimits.cadence, decimals: 2)
        try number(minimumName, &minimum, in: PayloadLimits.cadence, decimals: 2)
        try number(maximumName, &maximum, in: PayloadLimits.cadence, decimals: 2)
        figures = average.map { CadenceFigures(average: $0, minimum: minimum ?? $0, maximum: maximum ?? $0) }
    }
}

/// One calendar day of a device: `{device}/day`, and the records of `history/days`.
public struct DayTotals: JSONPayload, TotalsHolder, Hashable {
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

    package init() {}

    package init(
        date: String, zone: String, totals: Totals = Totals(), revision: UInt64 = 0, isFinal: Bool = false,
        end: Double? = nil
    ) {
        self.date = date
        self.zone = zone
        self.totals = totals
        self.revision = revision
        self.isFinal = isFinal
        self.end = end
    }

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.field("date", .string, &date, read: Self.date, write: { $0.value($1) })
        try list.text("zone", &zone, maximumBytes: PayloadLimits.maximumZoneBytes)
        try totals.fields(&list)
        try list.count("revision", &revision)
        try list.flag("final", &isFinal)
        try list.time("end", &end)
    }

    private static func date(_ json: JSONValue) throws(WireError) -> String {
        let text = try json.text(maximumBytes: 10)
        guard case .localDate = try TimePoint(parsing: text) else { throw .absurdTime }
        return text
    }
}

/// `{device}/total`: all-time totals.
public struct DeviceTotals: JSONPayload, TotalsHolder, Hashable {
    /// The sums since the device was first seen.
    public var totals = Totals()
    /// Grows with every change.
    public var revision: UInt64 = 0

    package init() {}

    package init(totals: Totals, revision: UInt64 = 0) {
        self.totals = totals
        self.revision = revision
    }

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try totals.fields(&list)
        try list.count("revision", &revision)
    }
}
