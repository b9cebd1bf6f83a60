/// A payload that is one JSON object. It names its fields once, in `fields`; reading, writing and the comparison with
/// its schema all go through that one list.
package protocol JSONPayload: Sendable {
    /// A payload of which nothing has been read yet.
    init()
    /// Hands every field to the list, in the order in which it is written; unknown fields are ignored.
    mutating func fields<List: FieldList>(_ list: inout List) throws(WireError)
    /// The largest payload that is read, in bytes.
    static var maximumBytes: Int { get }
}

/// A pass over the fields of a payload, which reads, writes or lists them.
package protocol FieldList {
    /// One field: its name, its place in the payload, and how it looks in JSON. `nil` is a field that is absent.
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
    /// Anything that the field's own type reads.
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

    /// Reads one such object inside another.
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
        // The list that writes never throws.
        try? payload.fields(&list)
        writer = list.writer
    }

    /// The names of the fields, for the comparison with the schema.
    package static func listedFields() -> [FieldNames.Entry] {
        var list = FieldNames()
        var payload = Self()
        // The list that notes names never throws.
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

/// Writes fields as JSON, those that are there.
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

/// Notes the names of fields.
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

/// The kinds of field that payloads are made of, each where it must be there and where it may be absent. A missing or
/// mistyped one throws `.wrongType`, one beyond its range `.outOfRange`.
extension FieldList {
    /// A field that must be there.
    mutating func field<Value>(
        _ name: String, _ type: FieldType, _ value: inout Value, read: (JSONValue) throws(WireError) -> Value,
        write: (inout JSONWriter, Value) -> Void
    ) throws(WireError) {
        var present = Optional(value)
        try field(name, type, isRequired: true, &present, read: read, write: write)
        if let present { value = present }
    }

    /// A number in a range, written with so many decimals.
    mutating func number(
        _ name: String, _ number: inout Double, in range: ClosedRange<Double>, decimals: Int
    ) throws(WireError) {
        try field(
            name, .number, &number, read: { json throws(WireError) in try json.number(in: range) },
            write: { $0.value($1, decimals: decimals) })
    }

    /// A number in a range, if it is there.
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

    /// Seconds since 1970, if they are there.
    mutating func time(_ name: String, _ seconds: inout Double?) throws(WireError) {
        try field(
            name, .number, isRequired: false, &seconds, read: { json throws(WireError) in try json.timeSeconds() },
            write: { $0.value($1, decimals: 3) })
    }

    mutating func count(_ name: String, _ count: inout UInt64) throws(WireError) {
        try field(
            name, .integer, &count, read: { json throws(WireError) in try json.count() }, write: { $0.value($1) })
    }

    /// A count, if it is there.
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

    /// A whole number in a range, if it is there.
    mutating func whole(_ name: String, _ number: inout Int?, in range: ClosedRange<Int>) throws(WireError) {
        try field(
            name, .integer, isRequired: false, &number,
            read: { json throws(WireError) in try json.whole(in: range) }, write: { $0.value($1) })
    }

    /// Text of at most so many bytes.
    mutating func text(
        _ name: String, _ text: inout String, maximumBytes: Int = PayloadLimits.maximumTextBytes
    ) throws(WireError) {
        try field(
            name, .string, &text, read: { json throws(WireError) in try json.text(maximumBytes: maximumBytes) },
            write: { $0.value($1) })
    }

    /// Text of at most so many bytes, if it is there.
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

    /// A truth value, if it is there.
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

    /// One of some words, if it is there.
    mutating func word<Word: RawRepresentable<String>>(_ name: String, _ word: inout Word?) throws(WireError) {
        try field(
            name, .string, isRequired: false, &word, read: { json throws(WireError) in try json.word() },
            write: { $0.value($1.rawValue) })
    }

    /// One of some words; a payload without it means the one that is given.
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

    /// A device id, if it is there.
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
    /// Revolutions or steps a minute: far beyond any leg.
    package static let cadence = 0.0...1_000.0
    /// Metres, for ever.
    package static let distanceMetres = 0.0...1e12
    /// Seconds of a duration, for ever.
    package static let durationSeconds = 0.0...1e12
    /// Seconds a metre.
    package static let paceSecondsPerMetre = 0.0...1e6
    /// Kilometres an hour: a cadence at its limit with the longest way a revolution.
    package static let speedKilometresPerHour = 0.0...10_000.0
    /// Seconds since 1970: up to the end of the year 9999.
    package static let timeSeconds = 0.0...253_402_300_799.0
    package static let maximumTextBytes = 256
    /// The longest name of a time zone, in bytes.
    package static let maximumZoneBytes = 64
    /// The most records in one reply: as many of the longest buckets as `JSONValue.maximumBytes` holds.
    package static let maximumRecords = 5_000
}
