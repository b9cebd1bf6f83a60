/// The bytes of a Bluetooth notification on `csc` and `ftms`, and what the bridge says about them.
///
/// A bridge sends the bytes as they are, or as JSON: `{"hex":"02 10 00 00 fc"}` or `{"base64":"AhAAAPw="}`, with `boot`
/// and `seq`, and `t` or `uptime_ms`, where it has them.
package struct BluetoothPayload: Sendable, Hashable {
    /// The notification.
    package var bytes: [UInt8]
    /// The identity of the message.
    package var identity: FrameIdentity
    /// The time of sending.
    package var time: FrameTime

    /// The longest notification, in bytes: an attribute of the Bluetooth Core Specification.
    package static let maximumBytes = 512

    /// Reads a payload; what begins like JSON but is none is taken as bytes.
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

    package init(bytes: [UInt8], identity: FrameIdentity, time: FrameTime) {
        self.bytes = bytes
        self.identity = identity
        self.time = time
    }

    private init(object: JSONObject, payload: UnsafeRawBufferPointer) throws(WireError) {
        switch (object["hex"]?.string, object["base64"]?.string) {
        case (let hex?, nil): bytes = try TextEncoding.bytes(hex: hex)
        case (nil, let base64?): bytes = try TextEncoding.bytes(base64: base64)
        case (nil, nil): throw .wrongType
        default: throw .contradiction
        }
        guard bytes.count <= Self.maximumBytes else { throw .payloadTooLarge }
        identity = try object.identity(of: payload)
        time = try object.frameTime()
    }
}

/// Bytes written as text.
enum TextEncoding {
    private static let separators = Array(" :-".utf8)

    /// Pairs of hexadecimal digits; spaces, colons and dashes between them are skipped.
    static func bytes(hex text: String) throws(WireError) -> [UInt8] {
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in text.utf8 {
            if high == nil && separators.contains(character) { continue }
            guard let nibble = nibble(character) else { throw .malformed }
            if let first = high {
                bytes.append(first << 4 | nibble)
                high = nil
            } else {
                high = nibble
            }
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

    private static func nibble(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
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
