/// The answer to a request: data, or why there is none.
public enum HistoryReply: Sendable, Hashable {
    /// The data, as JSON.
    case ok(transaction: Transaction?, data: [UInt8])
    /// Why there is no data.
    case error(transaction: Transaction?, ReplyError)

    /// An answer with data.
    public static func ok(transaction: Transaction?, data: some JSONPayload) -> HistoryReply {
        .ok(transaction: transaction, data: data.encodedJSON())
    }

    /// The answer as JSON.
    public func encodedJSON() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        switch self {
        case .ok(let transaction, let data):
            writer.field("status", "ok")
            transaction?.writeField(to: &writer)
            writer.key("data")
            writer.raw(data)
        case .error(let transaction, let error):
            writer.field("status", "error")
            transaction?.writeField(to: &writer)
            writer.key("error")
            writer.beginObject()
            writer.field("code", error.code.rawValue)
            writer.field("message", error.message)
            writer.endObject()
        }
        writer.endObject()
        return writer.bytes
    }

    /// Reads an answer; its data is one of the `…Data` types, which the asker knows.
    public init(json: UnsafeRawBufferPointer) throws(WireError) {
        guard let object = try JSONValue(parsing: json).object else { throw .wrongType }
        let transaction = try Transaction(object: object)
        switch try object.string("status") {
        case "ok":
            var writer = JSONWriter()
            writer.value(try object.value("data"))
            self = .ok(transaction: transaction, data: writer.bytes)
        case "error":
            guard let error = try object.value("error").object else { throw .wrongType }
            self = .error(transaction: transaction, try ReplyError(object: error))
        default: throw .outOfRange
        }
    }

    /// Reads an answer.
    public init(json: [UInt8]) throws(WireError) {
        self = try json.withRawBytes { bytes throws(WireError) in try Self(json: bytes) }
    }
}

extension ReplyError {
    init(object: JSONObject) throws(WireError) {
        guard let code = Code(rawValue: try object.string("code")) else { throw .outOfRange }
        self.code = code
        message = try object.string("message", maximumBytes: 1024)
    }
}
