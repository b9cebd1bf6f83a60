/// The bytes of a Bluetooth notification on `csc` and `ftms`, with the identity and time that the bridge adds.
///
/// A bridge sends the bytes as they are, or as JSON: `{"hex":"02 10 00 00 fc"}` or `{"base64":"AhAAAPw="}`, optionally
/// with `boot` and `seq`, and with `t` or `uptime_ms`.
package struct BluetoothPayload: Sendable, Hashable {
    package var bytes: [UInt8]
    package var identity: FrameIdentity
    /// The time of sending.
    package var time: FrameTime

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

/// Reads the counted parts of Bluetooth sensor notifications. Those that share a topic are read to their end, so that
/// bytes of another kind are refused.
///
/// Sources: Bluetooth SIG, "GATT Specification Supplement", CSC, RSC and Cycling Power Measurement; "Fitness Machine
/// Service 1.0", section 4.9.1.
enum BluetoothMeasurement {
    /// A crank's running count modulo 2¹⁶, and the time at which the last revolution was complete, in 1/1024 s, modulo
    /// 2¹⁶: it wraps every 64 s.
    typealias Crank = (revolutions: UInt16, lastEventTime1024: UInt16)

    /// The crank of a CSC Measurement (0x2A5B); `nil` for a wheel alone.
    static func speedAndCadence(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> Crank? {
        var reader = ByteReader(bytes)
        let flags = try reader.read(UInt8.self)
        // Others are reserved: a power measurement with its wheel is as long as one of speed and cadence.
        guard flags & ~3 == 0 else { throw .malformed }
        if flags & 1 != 0 { _ = try reader.readBytes(6) }
        let crank = flags & 2 != 0 ? try reader.readCrank() : nil
        guard reader.isAtEnd else { throw .malformed }
        return crank
    }

    /// The crank of a Cycling Power Measurement (0x2A63), with the fields of a CSC crank; `nil` without one.
    static func cyclingPower(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> Crank? {
        var reader = ByteReader(bytes)
        let flags = try reader.read(UInt16.self)
        _ = try reader.readBytes(2)
        try reader.skip([(0, 1), (2, 2), (4, 6)], flags)
        let crank = flags & 1 << 5 != 0 ? try reader.readCrank() : nil
        // Extreme forces, torques and angles, top and bottom dead spots, and accumulated energy.
        try reader.skip([(6, 4), (7, 4), (8, 3), (9, 2), (10, 2), (11, 2)], flags)
        guard reader.isAtEnd else { throw .malformed }
        return crank
    }

    /// Checks an RSC Measurement (0x2A53) of a runner's pod, whose cadence is not counted.
    static func checkRunning(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
        var reader = ByteReader(bytes)
        let flags = try reader.read(UInt8.self)
        _ = try reader.readBytes(3)
        try reader.skip([(0, 2), (1, 4)], UInt16(flags))
        guard reader.isAtEnd else { throw .malformed }
    }

    /// Crank revolutions a minute of Indoor Bike Data (0x2AD2); `nil` without them.
    ///
    /// Bit 0 of the flags is inverted: speed is present when it is 0. Bit 1 is average speed and bit 2 instantaneous
    /// cadence; the SIG's old XML description has the two swapped. What follows the cadence is not read: machines add
    /// fields of their own, and bridges cut notifications short.
    static func indoorBikeCadenceRPM(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> Double? {
        var reader = ByteReader(bytes)
        let flags = try reader.read(UInt16.self) ^ 1
        try reader.skip([(0, 2), (1, 2)], flags)
        return flags & 1 << 2 != 0 ? Double(try reader.read(UInt16.self)) / 2 : nil
    }
}

extension ByteReader {
    fileprivate mutating func readCrank() throws(WireError) -> BluetoothMeasurement.Crank {
        (try read(), try read())
    }

    /// Skips the fields whose bits are set, each `byteCount` bytes long.
    fileprivate mutating func skip(_ fields: [(bit: UInt16, byteCount: Int)], _ flags: UInt16) throws(WireError) {
        for (bit, byteCount) in fields where flags & 1 << bit != 0 { _ = try readBytes(byteCount) }
    }
}
