/// The length of a bucket of `history/series`.
public enum Bucket: String, Sendable, Hashable, CaseIterable {
    /// A minute.
    case minute
    /// An hour.
    case hour
    /// A calendar day.
    case day
    /// A calendar week, from Monday.
    case week
    /// A calendar month.
    case month
}

/// What somebody asks on `request/{verb}`.
///
/// Every field is optional here: which ones a verb needs, and what their absence means, is for the service to say.
public struct HistoryRequest: Sendable, Hashable {
    /// What is asked.
    public var verb: RequestVerb
    /// About which device.
    public var device: DeviceID?
    /// The beginning of the time asked about, included.
    public var from: TimePoint?
    /// The end of the time asked about, not included.
    public var to: TimePoint?
    /// The IANA name of the zone whose days are meant, instead of the device's own.
    public var zone: String?
    /// The length of a bucket.
    public var bucket: Bucket?
    /// The most records of one reply.
    public var limit: Int?
    /// Where the reply before ended.
    public var cursor: String?
    /// The topic to answer on, for clients without a Response Topic (MQTT 3.1.1).
    public var replyTo: String?
    /// What the reply must carry back.
    public var transaction: Transaction?
    /// Until when an answer is of use, in seconds since 1970.
    public var deadline: Double?
    /// After how many steps or revolutions there is a notice.
    public var every: UInt64?
    /// What notices count; what the device is made for without it.
    public var counts: CountedKind?
    /// How long notices come without a renewal, in seconds.
    public var leaseSeconds: Int?
    /// About whom.
    public var person: String?
    /// Which of a person's devices is believed first: the one with the smallest number.
    public var priority: Int?
    /// The largest reply that the asker can take, in bytes: records beyond it are left to the next page.
    public var maximumReplyBytes: Int?
    /// Whether records come as rows of values instead of named ones.
    public var isCompact = false
    /// What a verb that history protects is asked with.
    public var key: RequestKey?

    /// A request from its parts.
    public init(
        verb: RequestVerb, device: DeviceID? = nil, from: TimePoint? = nil, to: TimePoint? = nil, zone: String? = nil,
        bucket: Bucket? = nil, limit: Int? = nil, cursor: String? = nil, replyTo: String? = nil,
        transaction: Transaction? = nil, deadline: Double? = nil
    ) {
        self.verb = verb
        self.device = device
        self.from = from
        self.to = to
        self.zone = zone
        self.bucket = bucket
        self.limit = limit
        self.cursor = cursor
        self.replyTo = replyTo
        self.transaction = transaction
        self.deadline = deadline
    }

    /// The largest request, in bytes.
    public static let maximumBytes = 4096
    /// After how many steps or revolutions there can be a notice.
    public static let everyRange = 1...1_000_000
    /// How long a lease can be, in seconds.
    public static let leaseRangeSeconds = 10...86_400
    /// The priorities of a person's devices.
    public static let priorities = 0...1_000
    /// How small and large the largest reply can be, in bytes.
    public static let replyBytes = 128...JSONValue.maximumBytes

    /// Reads a request; an empty payload asks without saying anything.
    public init(verb: RequestVerb, json: UnsafeRawBufferPointer) throws(WireError) {
        self.init(verb: verb)
        guard json.count > 0 else { return }
        guard let object = try JSONValue(parsing: json, maximumBytes: Self.maximumBytes).object
        else { throw .wrongType }
        device = object["device"] == nil ? nil : try object.device("device")
        from = try object.timePoint("from")
        to = try object.timePoint("to")
        zone = try object.optionalString("zone", maximumBytes: PayloadLimits.maximumZoneBytes)
        bucket = try Self.bucket(object)
        limit = try object.optionalInt("limit", in: 1...PayloadLimits.maximumRecords)
        cursor = try object.optionalString("cursor")
        replyTo = try object.optionalString("reply_to")
        transaction = try Transaction(object: object)
        deadline = try object.optionalTime("deadline")
        try readLive(object)
        try readPeople(object)
        maximumReplyBytes = try object.optionalInt("max_bytes", in: Self.replyBytes)
        isCompact = try object.optionalBool("compact") ?? false
        if let text = try object.optionalString("key", maximumBytes: RequestKey.lengths.upperBound) {
            key = try RequestKey(text)
        }
    }

    private mutating func readLive(_ object: JSONObject) throws(WireError) {
        every = try object.optionalInt("every", in: Self.everyRange).map { UInt64($0) }
        counts = object["counts"] == nil ? nil : try object.countedKind("counts")
        leaseSeconds = try object.optionalInt("lease_s", in: Self.leaseRangeSeconds)
    }

    private mutating func readPeople(_ object: JSONObject) throws(WireError) {
        person = try object.optionalString("person", maximumBytes: PayloadLimits.maximumTextBytes)
        if person?.isEmpty == true { throw .outOfRange }
        priority = try object.optionalInt("priority", in: Self.priorities)
    }

    /// Reads a request; an empty payload asks without saying anything.
    public init(verb: RequestVerb, json: [UInt8]) throws(WireError) {
        self = try json.withRawBytes { bytes throws(WireError) in try Self(verb: verb, json: bytes) }
    }

    /// The request as JSON; the verb is in the topic.
    public func encodedJSON() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("device", device?.description)
        writeTime("from", from, to: &writer)
        writeTime("to", to, to: &writer)
        writer.field("zone", zone)
        writer.field("bucket", bucket?.rawValue)
        writer.field("limit", limit)
        writer.field("cursor", cursor)
        writer.field("reply_to", replyTo)
        transaction?.writeField(to: &writer)
        writer.field("deadline", deadline, decimals: 3)
        writer.field("every", every)
        writer.field("counts", counts?.rawValue)
        writer.field("lease_s", leaseSeconds)
        writer.field("person", person)
        writer.field("priority", priority)
        writer.field("max_bytes", maximumReplyBytes)
        if isCompact { writer.field("compact", true) }
        writer.field("key", key?.text)
        writer.endObject()
        return writer.bytes
    }

    private func writeTime(_ name: String, _ time: TimePoint?, to writer: inout JSONWriter) {
        guard let time else { return }
        writer.key(name)
        time.write(to: &writer)
    }

    private static func bucket(_ object: JSONObject) throws(WireError) -> Bucket? {
        guard let word = try object.optionalString("bucket") else { return nil }
        guard let bucket = Bucket(rawValue: word) else { throw .outOfRange }
        return bucket
    }
}
