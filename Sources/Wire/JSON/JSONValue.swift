/// A parsed JSON document, for payloads that are small and rare: configuration, requests, replies.
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    /// A number written without fraction or exponent.
    case integer(Int64)
    /// An integer beyond `Int64.max`.
    case unsigned(UInt64)
    /// Any other number; finite.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The deepest accepted nesting of arrays and objects.
    package static let maximumDepth = 8
    /// The default limit of a document, in bytes.
    package static let maximumBytes = 1_048_576
    package static let maximumMembers = 256

    /// The number, whichever way it was written.
    package var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The number, if it is whole and not negative.
    package var unsignedInteger: UInt64? {
        switch self {
        case .integer(let value): UInt64(exactly: value)
        case .unsigned(let value): value
        case .number(let value): UInt64(exactly: value)
        default: nil
        }
    }

    /// The number, if it is whole.
    package var signedInteger: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int64(exactly: value)
        default: nil
        }
    }

    package var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    package var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    package var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    package var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }
}

/// The named values of a JSON object, in their order; no name occurs twice.
package struct JSONObject: Sendable, Hashable {
    package struct Member: Sendable, Hashable {
        package var name: String
        package var value: JSONValue
    }

    package private(set) var members: [Member] = []

    /// An object without members.
    package init() {}

    /// Reads a payload that begins as an object does, behind whatever spaces; `nil` where it does not. No measurement of
    /// Bluetooth begins so: bits of its flags that are set in a quotation mark, and in a brace, are reserved.
    init?(beginning payload: UnsafeRawBufferPointer) throws(WireError) {
        let start = payload.lazy.filter { ![0x20, 9, 10, 13].contains($0) }.prefix(2)
        guard start.elementsEqual(#"{""#.utf8) || start.elementsEqual("{}".utf8) else { return nil }
        guard let object = try JSONValue(parsing: payload, maximumBytes: FrameLimits.maximumPayloadBytes).object
        else { throw .wrongType }
        self = object
    }

    /// Adds a member; throws `.contradiction` if the name exists.
    package mutating func append(_ name: String, _ value: JSONValue) throws(WireError) {
        guard members.count < JSONValue.maximumMembers else { throw .payloadTooLarge }
        guard !members.contains(where: { $0.name == name }) else { throw .contradiction }
        members.append(Member(name: name, value: value))
    }

    /// Replaces the member of that name, or adds one; throws `.payloadTooLarge` when there are too many.
    package mutating func set(_ name: String, to value: JSONValue) throws(WireError) {
        guard let index = members.firstIndex(where: { $0.name == name }) else { return try append(name, value) }
        members[index].value = value
    }

    /// The value of a name; `nil` if it is missing or `null`.
    package subscript(name: String) -> JSONValue? {
        let value = member(name)
        return value == .null ? nil : value
    }

    /// The value of a name, which may be `null`; `nil` if it is missing.
    func member(_ name: String) -> JSONValue? { members.first { $0.name == name }?.value }
}

extension JSONValue {
    package func encodedJSON() -> [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }
}

extension JSONObject {
    /// A required value; throws `.wrongType` if it is missing.
    package func value(_ name: String) throws(WireError) -> JSONValue {
        guard let value = self[name] else { throw .wrongType }
        return value
    }

    package func encodedJSON() -> [UInt8] { JSONValue.object(self).encodedJSON() }
}

/// Values in the types of payload fields. A mistyped value throws `.wrongType`, one beyond its range `.outOfRange`.
extension JSONValue {
    func number(in range: ClosedRange<Double>) throws(WireError) -> Double {
        guard let number = double else { throw .wrongType }
        guard range.contains(number) else { throw .outOfRange }
        return number
    }

    func timeSeconds() throws(WireError) -> Double {
        guard let time = double else { throw .wrongType }
        guard PayloadLimits.timeSeconds.contains(time) else { throw .absurdTime }
        return time
    }

    func count() throws(WireError) -> UInt64 {
        guard let number = double else { throw .wrongType }
        guard number >= 0 else { throw .outOfRange }
        guard let whole = unsignedInteger else { throw .wrongType }
        return whole
    }

    func whole(in range: ClosedRange<Int>) throws(WireError) -> Int {
        guard let whole = signedInteger else { throw double == nil ? .wrongType : .outOfRange }
        guard let number = Int(exactly: whole), range.contains(number) else { throw .outOfRange }
        return number
    }

    func text(maximumBytes: Int = PayloadLimits.maximumTextBytes) throws(WireError) -> String {
        guard let text = string else { throw .wrongType }
        guard text.utf8.count <= maximumBytes else { throw .outOfRange }
        return text
    }

    func flag() throws(WireError) -> Bool {
        guard let flag = bool else { throw .wrongType }
        return flag
    }

    func word<Word: RawRepresentable<String>>() throws(WireError) -> Word {
        guard let word = Word(rawValue: try text()) else {
            throw .outOfRange
        }
        return word
    }

    /// The id that links a reply to its request, returned unchanged: text or a whole number.
    package func transaction() throws(WireError) -> JSONValue {
        if case .integer = self { return self }
        return .string(try text(maximumBytes: PayloadLimits.maximumTransactionBytes))
    }

    /// The elements of an array of records.
    func elements() throws(WireError) -> [JSONValue] {
        guard let values = array else { throw .wrongType }
        guard values.count <= PayloadLimits.maximumRecords else { throw .payloadTooLarge }
        return values
    }
}
