/// A payload that is one JSON object. It lists its fields once, in `fields`; reading, writing and the comparison with
/// its schema all use that list.
package protocol JSONPayload: Sendable {
    /// An empty payload, to be filled by reading.
    init()
    /// Passes every field to the list, in the order of writing. Unknown fields are ignored.
    mutating func fields<List: FieldList>(_ list: inout List) throws(WireError)
    /// The largest payload that is read, in bytes.
    static var maximumBytes: Int { get }
}

/// A pass over the fields of a payload, which reads, writes or lists them.
package protocol FieldList {
    /// One field: its name, its value in the payload, and its form in JSON. `nil` means an absent field.
    mutating func field<Value>(
        _ name: String, _ type: FieldType, isRequired: Bool, _ value: inout Value?,
        read: (JSONValue) throws(WireError) -> Value, write: (inout JSONWriter, Value) -> Void
    ) throws(WireError)
}

/// The type of a field, in the words of JSON Schema.
package enum FieldType: String, Sendable, Hashable {
    case number
    /// A number without a fraction.
    case integer
    case string
    /// `true` or `false`.
    case boolean
    case array
    /// Any JSON that the field's own type accepts.
    case any
}

extension JSONPayload {
    /// Enough for any payload that is not a list of records.
    package static var maximumBytes: Int { 16_384 }

    package func encodedJSON() -> [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// Reads the payload from JSON.
    package init(json: UnsafeRawBufferPointer) throws(WireError) {
        try self.init(value: try JSONValue(parsing: json, maximumBytes: Self.maximumBytes))
    }

    /// Reads the payload from JSON.
    package init(json: [UInt8]) throws(WireError) {
        self = try json.withRawBytes { bytes throws(WireError) in try Self(json: bytes) }
    }

    /// Reads the payload from an object inside another one.
    package init(value: JSONValue) throws(WireError) {
        guard let object = value.object else { throw .wrongType }
        var reader = FieldReader(object: object)
        self.init()
        try fields(&reader)
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeFields(to: &writer)
        writer.endObject()
    }

    /// Writes the fields of the object, without its braces.
    package func writeFields(to writer: inout JSONWriter) {
        var list = FieldWriter(writer: writer)
        var payload = self
        writer = JSONWriter()
        // `FieldWriter` never throws.
        try? payload.fields(&list)
        writer = list.writer
    }

    /// The names of the fields, for the comparison with the schema.
    package static func listedFields() -> [FieldNames.Entry] {
        var list = FieldNames()
        var payload = Self()
        // `FieldNames` never throws.
        try? payload.fields(&list)
        return list.entries
    }
}

/// Reads fields from an object.
struct FieldReader: FieldList {
    let object: JSONObject

    mutating func field<Value>(
        _ name: String, _: FieldType, isRequired: Bool, _ value: inout Value?,
        read: (JSONValue) throws(WireError) -> Value, write _: (inout JSONWriter, Value) -> Void
    ) throws(WireError) {
        guard let json = object[name] else {
            guard !isRequired else { throw .wrongType }
            return value = nil
        }
        value = try read(json)
    }
}

/// Writes the fields that are present as JSON.
struct FieldWriter: FieldList {
    var writer: JSONWriter

    mutating func field<Value>(
        _ name: String, _: FieldType, isRequired _: Bool, _ value: inout Value?,
        read _: (JSONValue) throws(WireError) -> Value, write: (inout JSONWriter, Value) -> Void
    ) {
        guard let value else { return }
        writer.key(name)
        write(&writer, value)
    }
}

/// Collects the names of fields.
package struct FieldNames: FieldList {
    /// One field.
    package struct Entry: Hashable {
        package let name: String
        package let type: FieldType
        /// True if a payload without it is refused.
        package let isRequired: Bool
    }

    /// The fields, in the order in which they are written.
    package private(set) var entries: [Entry] = []

    package mutating func field<Value>(
        _ name: String, _ type: FieldType, isRequired: Bool, _: inout Value?,
        read _: (JSONValue) throws(WireError) -> Value, write _: (inout JSONWriter, Value) -> Void
    ) {
        entries.append(Entry(name: name, type: type, isRequired: isRequired))
    }
}

/// The kinds of field in payloads, required or optional. A missing or mistyped field throws `.wrongType`, a value
/// beyond its range `.outOfRange`.
extension FieldList {
    /// A required field.
    mutating func field<Value>(
        _ name: String, _ type: FieldType, _ value: inout Value, read: (JSONValue) throws(WireError) -> Value,
        write: (inout JSONWriter, Value) -> Void
    ) throws(WireError) {
        var present = Optional(value)
        try field(name, type, isRequired: true, &present, read: read, write: write)
        if let present { value = present }
    }

    /// A number in a range, written with `decimals` decimals.
    mutating func number(
        _ name: String, _ number: inout Double, in range: ClosedRange<Double>, decimals: Int
    ) throws(WireError) {
        try field(
            name, .number, &number, read: { json throws(WireError) in try json.number(in: range) },
            write: { $0.value($1, decimals: decimals) })
    }

    /// An optional number in a range.
    mutating func number(
        _ name: String, _ number: inout Double?, in range: ClosedRange<Double>, decimals: Int
    ) throws(WireError) {
        try field(
            name, .number, isRequired: false, &number,
            read: { json throws(WireError) in try json.number(in: range) }, write: { $0.value($1, decimals: decimals) })
    }

    /// Seconds since 1970.
    mutating func time(_ name: String, _ seconds: inout Double) throws(WireError) {
        try field(
            name, .number, &seconds, read: { json throws(WireError) in try json.timeSeconds() },
            write: { $0.value($1, decimals: 3) })
    }

    /// Optional seconds since 1970.
    mutating func time(_ name: String, _ seconds: inout Double?) throws(WireError) {
        try field(
            name, .number, isRequired: false, &seconds, read: { json throws(WireError) in try json.timeSeconds() },
            write: { $0.value($1, decimals: 3) })
    }

    mutating func count(_ name: String, _ count: inout UInt64) throws(WireError) {
        try field(
            name, .integer, &count, read: { json throws(WireError) in try json.count() }, write: { $0.value($1) })
    }

    /// An optional count.
    mutating func count(_ name: String, _ count: inout UInt64?) throws(WireError) {
        try field(
            name, .integer, isRequired: false, &count, read: { json throws(WireError) in try json.count() },
            write: { $0.value($1) })
    }

    /// A whole number in a range.
    mutating func whole(
        _ name: String, _ number: inout Int, in range: ClosedRange<Int> = 0...Int.max
    ) throws(WireError) {
        try field(
            name, .integer, &number, read: { json throws(WireError) in try json.whole(in: range) },
            write: { $0.value($1) })
    }

    /// An optional whole number in a range.
    mutating func whole(_ name: String, _ number: inout Int?, in range: ClosedRange<Int>) throws(WireError) {
        try field(
            name, .integer, isRequired: false, &number,
            read: { json throws(WireError) in try json.whole(in: range) }, write: { $0.value($1) })
    }

    /// Text of at most `maximumBytes` bytes.
    mutating func text(
        _ name: String, _ text: inout String, maximumBytes: Int = PayloadLimits.maximumTextBytes
    ) throws(WireError) {
        try field(
            name, .string, &text, read: { json throws(WireError) in try json.text(maximumBytes: maximumBytes) },
            write: { $0.value($1) })
    }

    /// Optional text of at most `maximumBytes` bytes.
    mutating func text(
        _ name: String, _ text: inout String?, maximumBytes: Int = PayloadLimits.maximumTextBytes
    ) throws(WireError) {
        try field(
            name, .string, isRequired: false, &text,
            read: { json throws(WireError) in try json.text(maximumBytes: maximumBytes) }, write: { $0.value($1) })
    }

    mutating func flag(_ name: String, _ flag: inout Bool) throws(WireError) {
        try field(name, .boolean, &flag, read: { json throws(WireError) in try json.flag() }, write: { $0.value($1) })
    }

    /// An optional truth value.
    mutating func flag(_ name: String, _ flag: inout Bool?) throws(WireError) {
        try field(
            name, .boolean, isRequired: false, &flag, read: { json throws(WireError) in try json.flag() },
            write: { $0.value($1) })
    }

    mutating func word<Word: RawRepresentable<String>>(_ name: String, _ word: inout Word) throws(WireError) {
        try field(
            name, .string, &word, read: { json throws(WireError) in try json.word() },
            write: { $0.value($1.rawValue) })
    }

    /// An optional word of an enumeration.
    mutating func word<Word: RawRepresentable<String>>(_ name: String, _ word: inout Word?) throws(WireError) {
        try field(
            name, .string, isRequired: false, &word, read: { json throws(WireError) in try json.word() },
            write: { $0.value($1.rawValue) })
    }

    /// A word of an enumeration; `other` if the field is absent.
    mutating func word<Word: RawRepresentable<String>>(
        _ name: String, _ word: inout Word, default other: Word
    ) throws(WireError) {
        var optional = Optional(word)
        try self.word(name, &optional)
        word = optional ?? other
    }

    mutating func device(_ name: String, _ device: inout DeviceID) throws(WireError) {
        try field(
            name, .string, &device, read: { json throws(WireError) in try json.device() },
            write: { $0.value($1.description) })
    }

    /// An optional device id.
    mutating func device(_ name: String, _ device: inout DeviceID?) throws(WireError) {
        try field(
            name, .string, isRequired: false, &device, read: { json throws(WireError) in try json.device() },
            write: { $0.value($1.description) })
    }

    mutating func list<Payload: JSONPayload>(_ name: String, _ payloads: inout [Payload]) throws(WireError) {
        try field(
            name, .array, &payloads, read: { json throws(WireError) in try json.payloads() },
            write: { (writer: inout JSONWriter, payloads: [Payload]) in
                writer.beginArray()
                for payload in payloads { payload.write(to: &writer) }
                writer.endArray()
            })
    }
}

extension [UInt8] {
    /// Lends the bytes to a decoder.
    package func withRawBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws(WireError) -> Result
    ) throws(WireError) -> Result {
        try withUnsafeBufferPointer { buffer throws(WireError) in try body(UnsafeRawBufferPointer(buffer)) }
    }
}

/// The bounds of the numbers in public payloads; a decoder refuses anything beyond as `.outOfRange`.
package enum PayloadLimits {
    /// Cadence, in revolutions or steps a minute: far beyond any person.
    package static let cadence = 0.0...1_000.0
    /// All-time distance, in metres.
    package static let distanceMetres = 0.0...1e12
    /// All-time duration, in seconds.
    package static let durationSeconds = 0.0...1e12
    /// Pace, in seconds a metre.
    package static let paceSecondsPerMetre = 0.0...1e6
    /// Speed, in km/h: beyond the highest cadence with the longest distance a revolution.
    package static let speedKilometresPerHour = 0.0...10_000.0
    /// Time, in seconds since 1970, up to the end of the year 9999.
    package static let timeSeconds = 0.0...253_402_300_799.0
    package static let maximumTextBytes = 256
    /// The longest name of a time zone, in bytes.
    package static let maximumZoneBytes = 64
    /// The maximum number of records in one reply: as many of the longest buckets as `JSONValue.maximumBytes` holds.
    package static let maximumRecords = 5_000
}
