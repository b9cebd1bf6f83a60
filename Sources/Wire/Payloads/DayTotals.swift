/// One calendar day of a device: `{device}/day`, and the records of `history/days`.
public struct DayTotals: JSONPayload, Hashable {
    /// The local date, `YYYY-MM-DD`.
    public var date: String
    /// The time zone whose day it is, by its IANA name.
    public var zone: String
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
    /// Floors gone on foot; `nil` where no barometer told its pressure.
    public var floors: FloorCounts?
    /// Grows with every change of the day.
    public var revision: UInt64
    /// Whether the day has been over for an hour; late data may still change it.
    public var isFinal: Bool
    /// The first instant after the day, in seconds since 1970; only what is retained tells it.
    public var end: Double?

    /// A day from its parts.
    public init(
        date: String, zone: String, steps: UInt64 = 0, revolutions: UInt64 = 0, distanceMetres: Double = 0,
        activeSeconds: Double = 0, coveredSeconds: Double = 0, floors: FloorCounts? = nil, revision: UInt64 = 0,
        isFinal: Bool = false, end: Double? = nil
    ) {
        self.date = date
        self.zone = zone
        self.steps = steps
        self.revolutions = revolutions
        self.distanceMetres = distanceMetres
        self.activeSeconds = activeSeconds
        self.coveredSeconds = coveredSeconds
        self.floors = floors
        self.revision = revision
        self.isFinal = isFinal
        self.end = end
    }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        date = try object.string("date", maximumBytes: 10)
        guard case .localDate = try TimePoint(parsing: date) else { throw .absurdTime }
        zone = try object.string("zone", maximumBytes: PayloadLimits.maximumZoneBytes)
        steps = try object.uint64("steps")
        revolutions = try object.uint64("revolutions")
        distanceMetres = try object.double("distance_m", in: PayloadLimits.distanceMetres)
        activeSeconds = try object.double("active_s", in: PayloadLimits.durationSeconds)
        coveredSeconds = try object.double("covered_s", in: PayloadLimits.durationSeconds)
        floors = try FloorCounts(object: object)
        revision = try object.uint64("revision")
        isFinal = try object.bool("final")
        end = try object.optionalTime("end")
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("date", date)
        writer.field("zone", zone)
        writer.field("steps", steps)
        writer.field("revolutions", revolutions)
        writer.field("distance_m", distanceMetres, decimals: 3)
        writer.field("active_s", activeSeconds, decimals: 3)
        writer.field("covered_s", coveredSeconds, decimals: 3)
        floors?.writeFields(to: &writer)
        writer.field("revision", revision)
        writer.field("final", isFinal)
        writer.field("end", end, decimals: 3)
    }
}
