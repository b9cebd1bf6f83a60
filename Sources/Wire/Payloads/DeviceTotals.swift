/// `{device}/total`: totals for ever.
public struct DeviceTotals: JSONPayload, Hashable {
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
    /// Grows with every change.
    public var revision: UInt64

    /// Totals from their parts.
    public init(
        steps: UInt64 = 0, revolutions: UInt64 = 0, distanceMetres: Double = 0, activeSeconds: Double = 0,
        coveredSeconds: Double = 0, floors: FloorCounts? = nil, revision: UInt64 = 0
    ) {
        self.steps = steps
        self.revolutions = revolutions
        self.distanceMetres = distanceMetres
        self.activeSeconds = activeSeconds
        self.coveredSeconds = coveredSeconds
        self.floors = floors
        self.revision = revision
    }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        steps = try object.uint64("steps")
        revolutions = try object.uint64("revolutions")
        distanceMetres = try object.double("distance_m", in: PayloadLimits.distanceMetres)
        activeSeconds = try object.double("active_s", in: PayloadLimits.durationSeconds)
        coveredSeconds = try object.double("covered_s", in: PayloadLimits.durationSeconds)
        floors = try FloorCounts(object: object)
        revision = try object.uint64("revision")
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("steps", steps)
        writer.field("revolutions", revolutions)
        writer.field("distance_m", distanceMetres, decimals: 3)
        writer.field("active_s", activeSeconds, decimals: 3)
        writer.field("covered_s", coveredSeconds, decimals: 3)
        floors?.writeFields(to: &writer)
        writer.field("revision", revision)
    }
}
