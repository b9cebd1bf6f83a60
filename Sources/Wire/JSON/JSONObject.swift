/// The named values of a JSON object, in their order; no name occurs twice.
public struct JSONObject: Sendable, Hashable {
    /// One named value.
    public struct Member: Sendable, Hashable {
        /// Its name.
        public var name: String
        /// Its value.
        public var value: JSONValue
    }

    /// The members in their order.
    public private(set) var members: [Member] = []

    /// An object without members.
    public init() {}

    /// Adds a member; throws `.contradiction` when there is one of that name.
    public mutating func append(_ name: String, _ value: JSONValue) throws(WireError) {
        guard members.count < JSONValue.maximumMembers else { throw .payloadTooLarge }
        guard !members.contains(where: { $0.name == name }) else { throw .contradiction }
        members.append(Member(name: name, value: value))
    }

    /// The value of a name; `nil` where it is missing or `null`.
    public subscript(name: String) -> JSONValue? {
        for member in members where member.name == name { return member.value == .null ? nil : member.value }
        return nil
    }
}

/// Reading fields: a missing or mistyped one throws `.wrongType`, one beyond its range `.outOfRange`.
extension JSONObject {
    /// A field that must be there.
    public func value(_ name: String) throws(WireError) -> JSONValue {
        guard let value = self[name] else { throw .wrongType }
        return value
    }

    /// A number in a range.
    public func double(
        _ name: String, in range: ClosedRange<Double> = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
    ) throws(WireError) -> Double {
        guard let value = try optionalDouble(name, in: range) else { throw .wrongType }
        return value
    }

    /// A number in a range, if it is there.
    public func optionalDouble(
        _ name: String, in range: ClosedRange<Double> = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
    ) throws(WireError) -> Double? {
        guard let value = self[name] else { return nil }
        guard let number = value.double else { throw .wrongType }
        guard range.contains(number) else { throw .outOfRange }
        return number
    }

    /// A whole number, not negative.
    public func uint64(_ name: String) throws(WireError) -> UInt64 {
        guard let value = try optionalUInt64(name) else { throw .wrongType }
        return value
    }

    /// A whole number, not negative, if it is there.
    public func optionalUInt64(_ name: String) throws(WireError) -> UInt64? {
        guard let value = self[name] else { return nil }
        guard let number = value.double else { throw .wrongType }
        guard number >= 0 else { throw .outOfRange }
        guard let whole = value.unsignedInteger else { throw .wrongType }
        return whole
    }

    /// A whole number in a range.
    public func int(_ name: String, in range: ClosedRange<Int> = 0...Int.max) throws(WireError) -> Int {
        guard let value = try optionalInt(name, in: range) else { throw .wrongType }
        return value
    }

    /// A whole number in a range, if it is there.
    public func optionalInt(_ name: String, in range: ClosedRange<Int> = 0...Int.max) throws(WireError) -> Int? {
        guard let value = self[name] else { return nil }
        guard let whole = value.signedInteger else { throw value.double == nil ? .wrongType : .outOfRange }
        guard let number = Int(exactly: whole), range.contains(number) else { throw .outOfRange }
        return number
    }

    /// Text of at most so many bytes.
    public func string(_ name: String, maximumBytes: Int = 256) throws(WireError) -> String {
        guard let value = try optionalString(name, maximumBytes: maximumBytes) else { throw .wrongType }
        return value
    }

    /// Text of at most so many bytes, if it is there.
    public func optionalString(_ name: String, maximumBytes: Int = 256) throws(WireError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else { throw .wrongType }
        guard text.utf8.count <= maximumBytes else { throw .outOfRange }
        return text
    }

    /// A truth value.
    public func bool(_ name: String) throws(WireError) -> Bool {
        guard let flag = try value(name).bool else { throw .wrongType }
        return flag
    }

    /// A truth value, if it is there.
    public func optionalBool(_ name: String) throws(WireError) -> Bool? {
        guard let value = self[name] else { return nil }
        guard let flag = value.bool else { throw .wrongType }
        return flag
    }

    /// A list.
    public func array(_ name: String) throws(WireError) -> [JSONValue] {
        guard let values = try value(name).array else { throw .wrongType }
        return values
    }

    /// A device id.
    public func device(_ name: String) throws(WireError) -> DeviceID {
        try DeviceID(try string(name, maximumBytes: DeviceID.maximumBytes))
    }
}
