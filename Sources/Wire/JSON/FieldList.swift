/// A payload that is one JSON object.
package protocol JSONPayload: Sendable {
    /// The largest payload that is read, in bytes.
    static var maximumBytes: Int { get }
    /// Whether a number that is none is a missing one; else the payload is refused.
    static var allowsNaN: Bool { get }
    /// Reads the payload from an object inside another one. Unknown fields are ignored.
    init(value: JSONValue) throws(WireError)
    /// Writes the fields of the object, without its braces.
    func writeFields(to writer: inout JSONWriter)
}

extension JSONPayload {
    /// Enough for any payload that is not a list of records.
    package static var maximumBytes: Int { 16_384 }
    /// What somebody says has no default in place of a number that went wrong.
    package static var allowsNaN: Bool { false }

    /// Reads the payload from JSON.
    package init(json: UnsafeRawBufferPointer) throws(WireError) {
        try self.init(value: try Self.document(json))
    }

    /// Parses JSON within the limits of the payload, which may have other fields.
    package static func document(_ json: UnsafeRawBufferPointer) throws(WireError) -> JSONValue {
        try JSONValue(parsing: json, maximumBytes: maximumBytes, allowsNaN: allowsNaN)
    }

    package init(json: [UInt8]) throws(WireError) {
        self = try json.withRawBytes { bytes throws(WireError) in try Self(json: bytes) }
    }

    package func encodedJSON() -> [UInt8] { JSONWriter.object(writeFields) }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeFields(to: &writer)
        writer.endObject()
    }
}

/// A payload whose fields other modules set.
package protocol FilledPayload: JSONPayload {
    /// A payload whose fields have their defaults.
    static var empty: Self { get }
}

extension FilledPayload {
    /// A payload with the fields that `fill` sets; the others have their defaults.
    package init(_ fill: (inout Self) -> Void = { _ in }) {
        self = Self.empty
        fill(&self)
    }
}

/// A payload that lists its fields once, in `fields`; reading, writing and the comparison with its schema all use that
/// list.
protocol FieldPayload: FilledPayload {
    init()
    /// Passes every field to the list, in the order of writing.
    mutating func fields(_ list: inout FieldList) throws(WireError)
}

extension FieldPayload {
    package static var empty: Self { Self() }

    package init(value: JSONValue) throws(WireError) {
        guard let object = value.object else { throw .wrongType }
        var list = FieldList(.reading(object))
        self.init()
        try fields(&list)
    }

    package func writeFields(to writer: inout JSONWriter) {
        var list = FieldList(.writing)
        var payload = self
        swap(&list.writer, &writer)
        // Only reading throws.
        try? payload.fields(&list)
        swap(&list.writer, &writer)
    }

    /// The fields that cannot be read, and the required ones that are missing.
    static func wrongFields(in object: JSONObject) -> [String] {
        var (list, payload) = (FieldList(.reading(object, throwing: false)), Self())
        try? payload.fields(&list)
        return list.wrong
    }
}

/// A pass over the fields of a payload, which reads or writes them.
struct FieldList {
    enum Pass {
        /// Throws at the first field that is wrong, or only remembers each.
        case reading(JSONObject, throwing: Bool = true)
        case writing
    }

    private let pass: Pass
    fileprivate private(set) var wrong: [String] = []
    var writer = JSONWriter()

    init(_ pass: Pass) {
        self.pass = pass
    }

    /// A required field; throws `.wrongType` if it is missing.
    mutating func field<Value>(_ name: String, _ value: inout Value, _ form: FieldForm<Value>) throws(WireError) {
        var present = Optional(value)
        try field(name, &present, form, isRequired: true)
        if let present { value = present }
    }

    /// An optional field; `nil` is an absent one.
    mutating func field<Value>(_ name: String, _ value: inout Value?, _ form: FieldForm<Value>) throws(WireError) {
        try field(name, &value, form, isRequired: false)
    }

    /// A field that is always written, and read as `other` if it is absent.
    mutating func field<Value>(
        _ name: String, _ value: inout Value, _ form: FieldForm<Value>, default other: Value
    ) throws(WireError) {
        var present = Optional(value)
        try field(name, &present, form, isRequired: false)
        value = present ?? other
    }

    /// A truth value that is written only if it is true.
    mutating func flag(_ name: String, ifTrue flag: inout Bool) throws(WireError) {
        var present = flag ? true : nil
        try field(name, &present, .flag, isRequired: false)
        flag = present ?? false
    }

    private mutating func field<Value>(
        _ name: String, _ value: inout Value?, _ form: FieldForm<Value>, isRequired: Bool
    ) throws(WireError) {
        switch pass {
        case .reading(let object, let isThrowing):
            let json = object[name]
            do throws(WireError) {
                guard json != nil || !isRequired else { throw .wrongType }
                value = try json.map(form.read)
            } catch {
                guard !isThrowing else { throw error }
                wrong.append(name)
            }
        case .writing:
            guard let value else { return }
            writer.key(name)
            form.write(&writer, value)
        }
    }
}

/// The form of a field's value in JSON. Reading throws `.wrongType` for another type, `.outOfRange` for a value beyond
/// its range.
struct FieldForm<Value> {
    let read: (JSONValue) throws(WireError) -> Value
    let write: (inout JSONWriter, Value) -> Void
}

extension FieldForm<Double> {
    /// A number in a range, written with `decimals` decimals.
    static func number(in range: ClosedRange<Double>, decimals: Int) -> Self {
        Self(
            read: { json throws(WireError) in try json.number(in: range) },
            write: { $0.value($1, decimals: decimals) })
    }

    /// A figure that follows from what was counted: at the end of its range where it lies beyond.
    static func figure(in range: ClosedRange<Double>, decimals: Int) -> Self {
        Self(
            read: { json throws(WireError) in try json.number(in: range) },
            write: { $0.value(min(max($1, range.lowerBound), range.upperBound), decimals: decimals) })
    }

    /// Seconds since 1970.
    static var time: Self {
        Self(read: { json throws(WireError) in try json.timeSeconds() }, write: { $0.value($1, decimals: 3) })
    }

    /// Revolutions or steps a minute: the bound is far beyond any person.
    static var cadence: Self { .figure(in: 0...1_000, decimals: 2) }
    /// Metres of all time.
    static var metres: Self { .figure(in: 0...1e12, decimals: 3) }
    /// Seconds of all time.
    static var seconds: Self { .figure(in: PayloadLimits.durationSeconds, decimals: 3) }
    /// Seconds a metre.
    static var pace: Self { .figure(in: 0...1e6, decimals: 4) }
    /// Metres a second: the bound is beyond the highest cadence with the longest distance a revolution.
    static var speed: Self { .figure(in: 0...3_000, decimals: 3) }
    static var confidence: Self { .number(in: 0...1, decimals: 2) }
}

extension FieldForm<UInt64> {
    static var count: Self { Self(read: { json throws(WireError) in try json.count() }, write: { $0.value($1) }) }
}

extension FieldForm<Int> {
    static func whole(in range: ClosedRange<Int>) -> Self {
        Self(read: { json throws(WireError) in try json.whole(in: range) }, write: { $0.value($1) })
    }
}

extension FieldForm<String> {
    static func text(maximumBytes: Int) -> Self {
        Self(read: { json throws(WireError) in try json.text(maximumBytes: maximumBytes) }, write: { $0.value($1) })
    }

    static var text: Self { .text(maximumBytes: PayloadLimits.maximumTextBytes) }
    /// The name of a time zone.
    static var zone: Self { .text(maximumBytes: 64) }
}

extension FieldForm<Bool> {
    static var flag: Self { Self(read: { json throws(WireError) in try json.flag() }, write: { $0.value($1) }) }
}

extension FieldForm<DeviceID> {
    static var device: Self {
        Self(
            read: { json throws(WireError) in try DeviceID(try json.text(maximumBytes: DeviceID.maximumBytes)) },
            write: { $0.value($1.description) })
    }
}

extension FieldForm where Value: RawRepresentable<String> {
    static var word: Self {
        Self(read: { json throws(WireError) in try json.word() }, write: { $0.value($1.rawValue) })
    }
}

extension FieldForm {
    /// A list of values of one form.
    static func array<Element>(of form: FieldForm<Element>) -> Self where Value == [Element] {
        Self { json throws(WireError) in
            try json.elements().map { value throws(WireError) in try form.read(value) }
        } write: {
            $0.array($1, form.write)
        }
    }

    static func list<Payload: JSONPayload>() -> Self where Value == [Payload] { .array(of: .object) }
}

extension FieldForm<[String]> {
    static var texts: Self { .array(of: .text) }
}

extension FieldForm<[DeviceID]> {
    static var devices: Self { .array(of: .device) }
}

extension FieldForm where Value: JSONPayload {
    static var object: Self {
        Self(read: { json throws(WireError) in try Value(value: json) }, write: { $1.write(to: &$0) })
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

/// Bounds of public payloads; a decoder refuses anything beyond as `.outOfRange`.
package enum PayloadLimits {
    /// All-time duration, in seconds.
    static let durationSeconds = 0.0...1e12
    /// Time, in seconds since 1970, up to the end of the year 9999.
    package static let timeSeconds = 0.0...253_402_300_799.0
    package static let maximumTextBytes = 256
    static let maximumTransactionBytes = 128

    /// As much of a text as its bound takes, in whole characters.
    package static func cut(_ text: String) -> String {
        var text = text
        while text.utf8.count > maximumTextBytes { text.removeLast() }
        return text
    }

    /// The most records of one list in a payload.
    package static let maximumRecords = 5_000
    /// The most rows of one reply, which is a page of its answer: the minutes of a day of 25 hours.
    package static let rowsAPage = 1_500
    /// The longest row of a reply, in bytes: a person with an alias, of quotation marks alone.
    static let maximumRowBytes = 1_400
}
