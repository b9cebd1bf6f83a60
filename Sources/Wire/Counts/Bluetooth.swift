/// The bytes of a Bluetooth notification on `csc`, `ftms` and `hr`, with the identity and time that the bridge adds.
///
/// A bridge sends the bytes as they are, or as JSON: `{"hex":"02 10 00 00 fc"}` or `{"base64":"AhAAAPw="}`, optionally
/// with `boot` and `seq`, with `t` or `uptime_ms`, and with the `characteristic` that notified.
package struct BluetoothPayload: Sendable, Hashable {
    package var bytes: [UInt8]
    package var identity: FrameIdentity
    /// The time of sending.
    package var time: FrameTime
    /// The 16-bit UUID of the characteristic; `nil` where the bridge does not say it.
    var characteristic: UInt16?

    /// The longest notification, in bytes: the limit of an attribute in the Bluetooth Core Specification.
    package static let maximumBytes = 512
}

extension BluetoothPayload {
    /// Reads a payload. A payload that begins like JSON but is not JSON is taken as bytes.
    package init(_ payload: UnsafeRawBufferPointer) throws(WireError) {
        guard let first = payload.first else { throw .emptyPayload }
        guard payload.count <= CountLimits.maximumPayloadBytes else { throw .payloadTooLarge }
        if first == UInt8(ascii: "{"), let value = try? JSONValue(parsing: payload), let object = value.object {
            try self.init(object: object, payload: payload)
            return
        }
        guard payload.count <= Self.maximumBytes else { throw .payloadTooLarge }
        self.init(
            bytes: Array(payload), identity: .unsequenced(contentHash: StableHash.of(payload)), time: .absent)
    }

    private init(object: JSONObject, payload: UnsafeRawBufferPointer) throws(WireError) {
        let bytes =
            switch (object["hex"]?.string, object["base64"]?.string) {
            case (let hex?, nil): try TextEncoding.bytes(hex: hex)
            case (nil, let base64?): try TextEncoding.bytes(base64: base64)
            case (nil, nil): throw WireError.wrongType
            default: throw WireError.contradiction
            }
        guard bytes.count <= Self.maximumBytes else { throw .payloadTooLarge }
        self.init(bytes: bytes, identity: try object.identity(of: payload), time: try object.frameTime())
        characteristic = try object["characteristic"].map { json throws(WireError) in
            // `2ad2`, `0x2AD2`, or the whole UUID, in which these are the digits 5 to 8.
            let digits = try json.text().lowercased().trimmingPrefix("0x")
            let short = digits.count == 36 ? digits.dropFirst(4).prefix(4) : digits[...]
            guard short.count == 4, let number = UInt16(short, radix: 16) else { throw .malformed }
            return number
        }
    }
}

/// Bytes written as text.
enum TextEncoding {
    private static let separators = Array(" :-\r\n\0".utf8)

    /// Whether bytes are hexadecimal digits, written as text.
    static func isHexadecimal(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 4
            && bytes.allSatisfy { byte in
                separators.contains(byte) || Character(Unicode.Scalar(byte)).isHexDigit
            }
    }

    /// Pairs of hexadecimal digits; spaces, colons and dashes between them are skipped.
    static func bytes(hex text: String) throws(WireError) -> [UInt8] {
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in text.utf8 {
            if high == nil && separators.contains(character) { continue }
            guard let digit = Character(Unicode.Scalar(character)).hexDigitValue else { throw .malformed }
            let nibble = UInt8(truncatingIfNeeded: digit)
            if let first = high { bytes.append(first << 4 | nibble) }
            high = high == nil ? nibble : nil
        }
        guard high == nil else { throw .malformed }
        return bytes
    }

    /// Base64, with or without its padding. Source: RFC 4648, section 4.
    static func bytes(base64 text: String) throws(WireError) -> [UInt8] {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        var padding = 0
        for character in text.utf8 {
            if character == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let sextet = sextet(character) else { throw .malformed }
            bits = bits << 6 | UInt32(sextet)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        guard padding <= 2, count < 6, bits & ((1 << UInt32(count)) - 1) == 0 else { throw .malformed }
        return bytes
    }

    private static func sextet(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
