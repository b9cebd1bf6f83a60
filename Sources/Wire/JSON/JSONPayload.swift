/// A payload that is one JSON object.
public protocol JSONPayload: Sendable {
    /// Reads the fields; unknown ones are ignored.
    init(object: JSONObject) throws(WireError)
    /// Writes the fields of the object, without its braces.
    func writeFields(to writer: inout JSONWriter)
    /// The largest payload that is read, in bytes.
    static var maximumBytes: Int { get }
}

extension JSONPayload {
    /// Enough for any payload that is not a list of records.
    public static var maximumBytes: Int { 16_384 }

    /// The payload as JSON.
    public func encodedJSON() -> [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// Reads the payload from JSON.
    public init(json: UnsafeRawBufferPointer) throws(WireError) {
        let value = try JSONValue(parsing: json, maximumBytes: Self.maximumBytes)
        try self.init(value: value)
    }

    /// Reads the payload from JSON.
    public init(json: [UInt8]) throws(WireError) {
        self = try json.withRawBytes { bytes throws(WireError) in try Self(json: bytes) }
    }

    /// Writes the object.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeFields(to: &writer)
        writer.endObject()
    }

    /// Reads one such object inside another.
    init(value: JSONValue) throws(WireError) {
        guard let object = value.object else { throw .wrongType }
        try self.init(object: object)
    }
}

extension [UInt8] {
    /// Lends the bytes to a decoder.
    public func withRawBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws(WireError) -> Result
    ) throws(WireError) -> Result {
        try withUnsafeBufferPointer { buffer throws(WireError) in try body(UnsafeRawBufferPointer(buffer)) }
    }
}
