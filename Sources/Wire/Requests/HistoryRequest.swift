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
