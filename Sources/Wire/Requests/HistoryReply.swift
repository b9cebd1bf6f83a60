/// The answer to a request: data or an error.
package enum HistoryReply: JSONPayload, Hashable {
    /// The data, as JSON.
    case ok(transaction: JSONValue?, data: [UInt8])
    /// The reason why there is no data.
    case error(transaction: JSONValue?, ReplyError)

    package static func ok(transaction: JSONValue?, data: some JSONPayload) -> HistoryReply {
        .ok(transaction: transaction, data: data.encodedJSON())
    }

    /// The largest reply, in bytes: a page of the longest rows.
    package static var maximumBytes: Int { PayloadLimits.rowsAPage * PayloadLimits.maximumRowBytes }

    package func writeFields(to writer: inout JSONWriter) {
        switch self {
        case .ok(let transaction, let data):
            Self.writeHead("ok", transaction, to: &writer)
            writer.key("data")
            writer.raw(data)
        case .error(let transaction, let error):
            Self.writeHead("error", transaction, to: &writer)
            writer.key("error")
            error.write(to: &writer)
        }
    }

    private static func writeHead(_ status: String, _ transaction: JSONValue?, to writer: inout JSONWriter) {
        writer.field("status", status)
        guard let transaction else { return }
        writer.key("transaction")
        writer.value(transaction)
    }

    /// Reads an answer; its data is of the `…Data` type for the verb of the request.
    package init(value: JSONValue) throws(WireError) {
        guard let object = value.object else { throw .wrongType }
        let transaction = try object["transaction"].map { json throws(WireError) in try json.transaction() }
        switch try object.value("status").text() {
        case "ok": self = .ok(transaction: transaction, data: try object.value("data").encodedJSON())
        case "error": self = .error(transaction: transaction, try ReplyError(value: try object.value("error")))
        default: throw .outOfRange
        }
    }
}

/// The reason why a request was not answered with data.
public struct ReplyError: Error, FieldPayload, Hashable {
    /// The error codes, for programs.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A field is missing, mistyped or invalid.
        case badRequest = "bad_request"
        /// No such verb.
        case unknownVerb = "unknown_verb"
        /// The verb exists, but not for this device or in this service.
        case notAvailable = "not_available"
        /// The user's role does not answer this verb, or not about this device, person or time; the message says what
        /// may be asked. A request that is stopped by the access lists of the broker gets no answer at all.
        case notAuthorised = "not_authorised"
        /// More data than one reply may hold: ask for less, or for larger buckets.
        case tooLarge = "too_large"
        /// Too many requests at once: ask again later.
        case tooBusy = "too_busy"
        /// The service failed.
        case `internal`
    }

    /// The error code, for programs.
    public var code = Code.internal
    /// The message for people: the problem and its remedy.
    public var message = ""

    /// The longest message that is read, in bytes.
    public static let maximumMessageBytes = 1024

    init() {}

    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("code", &code, .word)
        try list.field("message", &message, .text(maximumBytes: Self.maximumMessageBytes))
    }
}

extension FieldForm<JSONValue> {
    /// The id that links a reply to its request.
    static var transaction: Self {
        Self(read: { json throws(WireError) in try json.transaction() }, write: { $0.value($1) })
    }
}

/// An answer of any number of rows, a page of it: the data of `history/days`, `history/series`, `history/activity`,
/// `history/workouts`, `history/classes`, `devices` and `people`.
public struct Page<Row: Sendable & Hashable>: Sendable, Hashable {
    /// The device that was asked about; nil for a person, and where devices or people are the rows.
    public var device: DeviceID?
    /// The person who was asked about; nil for a device.
    public var person: String?
    /// The IANA name of the zone whose calendar the buckets of a series have.
    public var zone: String?
    /// The length of each bucket of a series.
    public var bucket: Bucket?
    /// The rows, in order.
    public var rows: [Row] = []
    /// The cursor of the next page; absent on the last page.
    public var cursor: String?
}

/// A row of a page.
package protocol PageRow: JSONPayload, Hashable {
    /// The field of a page that has its rows.
    static var listName: String { get }
}

extension Page: JSONPayload, FilledPayload, FieldPayload where Row: PageRow {
    package static var maximumBytes: Int { HistoryReply.maximumBytes }

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("device", &device, .device)
        try list.field("person", &person, .text)
        try list.field("zone", &zone, .zone)
        try list.field("bucket", &bucket, .word)
        try list.field(Row.listName, &rows, .list())
        try list.field("cursor", &cursor, .text)
    }
}

extension DayTotals: PageRow { package static var listName: String { "days" } }
extension SeriesBucket: PageRow { package static var listName: String { "buckets" } }
extension ActivitySegment: PageRow { package static var listName: String { "segments" } }
extension Workout: PageRow { package static var listName: String { "workouts" } }
extension ClassReport: PageRow { package static var listName: String { "classes" } }
extension DeviceEntry: PageRow { package static var listName: String { "devices" } }
extension PersonEntry: PageRow { package static var listName: String { "people" } }
