/// The data of `people` with a `person`: what all devices together say of the person, each moment from one of them.
public struct PersonData: JSONPayload, Hashable {
    /// Who.
    public var person: String
    /// The IANA name of the zone whose calendar the buckets have.
    public var zone: String
    /// The length of each bucket.
    public var bucket: Bucket
    /// The buckets, in their order.
    public var buckets: [PersonBucket]
    /// Where the next page begins; absent on the last.
    public var cursor: String?

    /// Data from its parts.
    public init(person: String, zone: String, bucket: Bucket, buckets: [PersonBucket], cursor: String? = nil) {
        self.person = person
        self.zone = zone
        self.bucket = bucket
        self.buckets = buckets
        self.cursor = cursor
    }

    /// The largest payload that is read, in bytes.
    public static var maximumBytes: Int { JSONValue.maximumBytes }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        person = try object.string("person")
        zone = try object.string("zone", maximumBytes: PayloadLimits.maximumZoneBytes)
        guard let bucket = Bucket(rawValue: try object.string("bucket")) else { throw .outOfRange }
        self.bucket = bucket
        buckets = try object.payloads("buckets", of: PersonBucket.self)
        cursor = try object.optionalString("cursor")
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("person", person)
        writer.field("zone", zone)
        writer.field("bucket", bucket.rawValue)
        writer.field("buckets", buckets)
        writer.field("cursor", cursor)
    }
}

/// One bucket of a person's totals.
public struct PersonBucket: JSONPayload, Hashable {
    /// Its first instant, in seconds since 1970.
    public var start: Double
    /// Steps, merged.
    public var steps: UInt64
    /// Crank revolutions, merged.
    public var revolutions: UInt64
    /// Metres, merged.
    public var distanceMetres: Double
    /// Seconds with steps or revolutions, merged.
    public var activeSeconds: Double
    /// Seconds for which some device has samples.
    public var coveredSeconds: Double
    /// Floors gone on foot, merged; `nil` where no barometer told its pressure.
    public var floors: FloorCounts?
    /// What each device said by itself, and how much of it was taken.
    public var sources: [SourceShare]

    /// A bucket from its parts.
    public init(
        start: Double, steps: UInt64 = 0, revolutions: UInt64 = 0, distanceMetres: Double = 0,
        activeSeconds: Double = 0, coveredSeconds: Double = 0, floors: FloorCounts? = nil,
        sources: [SourceShare] = []
    ) {
        self.start = start
        self.steps = steps
        self.revolutions = revolutions
        self.distanceMetres = distanceMetres
        self.activeSeconds = activeSeconds
        self.coveredSeconds = coveredSeconds
        self.floors = floors
        self.sources = sources
    }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        start = try object.time("start")
        steps = try object.uint64("steps")
        revolutions = try object.uint64("revolutions")
        distanceMetres = try object.double("distance_m", in: PayloadLimits.distanceMetres)
        activeSeconds = try object.double("active_s", in: PayloadLimits.durationSeconds)
        coveredSeconds = try object.double("covered_s", in: PayloadLimits.durationSeconds)
        floors = try FloorCounts(object: object)
        sources = try object.payloads("by_source", of: SourceShare.self)
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("start", start, decimals: 3)
        writer.field("steps", steps)
        writer.field("revolutions", revolutions)
        writer.field("distance_m", distanceMetres, decimals: 3)
        writer.field("active_s", activeSeconds, decimals: 3)
        writer.field("covered_s", coveredSeconds, decimals: 3)
        floors?.writeFields(to: &writer)
        writer.field("by_source", sources)
    }
}

/// What one device says of a person in one bucket.
public struct SourceShare: JSONPayload, Hashable {
    /// Which device.
    public var device: DeviceID
    /// Steps that it counted while it was the person's.
    public var steps: UInt64
    /// Those of them that are in the person's total.
    public var stepsUsed: UInt64
    /// Crank revolutions that it counted while it was the person's.
    public var revolutions: UInt64
    /// Those of them that are in the person's total.
    public var revolutionsUsed: UInt64
    /// Seconds for which it has samples.
    public var coveredSeconds: Double

    /// A share from its parts.
    public init(
        device: DeviceID, steps: UInt64 = 0, stepsUsed: UInt64 = 0, revolutions: UInt64 = 0,
        revolutionsUsed: UInt64 = 0, coveredSeconds: Double = 0
    ) {
        self.device = device
        self.steps = steps
        self.stepsUsed = stepsUsed
        self.revolutions = revolutions
        self.revolutionsUsed = revolutionsUsed
        self.coveredSeconds = coveredSeconds
    }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        device = try object.device("device")
        steps = try object.uint64("steps")
        stepsUsed = try object.uint64("steps_used")
        revolutions = try object.uint64("revolutions")
        revolutionsUsed = try object.uint64("revolutions_used")
        coveredSeconds = try object.double("covered_s", in: PayloadLimits.durationSeconds)
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("device", device.description)
        writer.field("steps", steps)
        writer.field("steps_used", stepsUsed)
        writer.field("revolutions", revolutions)
        writer.field("revolutions_used", revolutionsUsed)
        writer.field("covered_s", coveredSeconds, decimals: 3)
    }
}
