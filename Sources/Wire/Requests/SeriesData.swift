/// The data of `history/series`.
public struct SeriesData: JSONPayload, Hashable {
    /// Whose series.
    public var device: DeviceID
    /// The length of each bucket.
    public var bucket: Bucket
    /// The buckets, in their order.
    public var buckets: [SeriesBucket]
    /// Where the next page begins; absent on the last.
    public var cursor: String?

    /// Data from its parts.
    public init(device: DeviceID, bucket: Bucket, buckets: [SeriesBucket], cursor: String? = nil) {
        self.device = device
        self.bucket = bucket
        self.buckets = buckets
        self.cursor = cursor
    }

    /// The largest payload that is read, in bytes.
    public static var maximumBytes: Int { JSONValue.maximumBytes }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        device = try object.device("device")
        guard let bucket = Bucket(rawValue: try object.string("bucket")) else { throw .outOfRange }
        self.bucket = bucket
        buckets = try object.payloads("buckets", of: SeriesBucket.self)
        cursor = try object.optionalString("cursor")
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("device", device.description)
        writer.field("bucket", bucket.rawValue)
        writer.field("buckets", buckets)
        writer.field("cursor", cursor)
    }
}

/// One bucket of a series.
public struct SeriesBucket: JSONPayload, Hashable {
    /// Its first instant, in seconds since 1970.
    public var start: Double
    /// Steps.
    public var steps: UInt64
    /// Crank revolutions.
    public var revolutions: UInt64
    /// Metres.
    public var distanceMetres: Double
    /// Crank revolutions a minute of active time; absent without any.
    public var rpm: CadenceFigures?
    /// Steps a minute of active time; absent without any.
    public var spm: CadenceFigures?
    /// Seconds with steps or revolutions.
    public var activeSeconds: Double
    /// Seconds for which samples exist.
    public var coveredSeconds: Double
    /// Floors gone on foot; `nil` where no barometer told its pressure.
    public var floors: FloorCounts?

    /// A bucket from its parts.
    public init(
        start: Double, steps: UInt64 = 0, revolutions: UInt64 = 0, distanceMetres: Double = 0,
        rpm: CadenceFigures? = nil, spm: CadenceFigures? = nil, activeSeconds: Double = 0, coveredSeconds: Double = 0,
        floors: FloorCounts? = nil
    ) {
        self.start = start
        self.steps = steps
        self.revolutions = revolutions
        self.distanceMetres = distanceMetres
        self.rpm = rpm
        self.spm = spm
        self.activeSeconds = activeSeconds
        self.coveredSeconds = coveredSeconds
        self.floors = floors
    }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        start = try object.time("start")
        steps = try object.uint64("steps")
        revolutions = try object.uint64("revolutions")
        distanceMetres = try object.optionalDouble("distance_m", in: PayloadLimits.distanceMetres) ?? 0
        rpm = try CadenceFigures(object: object, unit: .revolutionsPerMinute)
        spm = try CadenceFigures(object: object, unit: .stepsPerMinute)
        activeSeconds = try object.double("active_s", in: PayloadLimits.durationSeconds)
        coveredSeconds = try object.double("covered_s", in: PayloadLimits.durationSeconds)
        floors = try FloorCounts(object: object)
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("start", start, decimals: 3)
        writer.field("steps", steps)
        writer.field("revolutions", revolutions)
        writer.field("distance_m", distanceMetres, decimals: 3)
        rpm?.writeFields(to: &writer, unit: .revolutionsPerMinute)
        spm?.writeFields(to: &writer, unit: .stepsPerMinute)
        writer.field("active_s", activeSeconds, decimals: 3)
        writer.field("covered_s", coveredSeconds, decimals: 3)
        floors?.writeFields(to: &writer)
    }
}
