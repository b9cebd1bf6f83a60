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
    /// Reads a payload: what is no JSON object is the bytes.
    package init(_ payload: UnsafeRawBufferPointer) throws(WireError) {
        guard !payload.isEmpty else { throw .emptyPayload }
        guard payload.count <= CountLimits.maximumPayloadBytes else { throw .payloadTooLarge }
        if let object = try JSONObject(beginning: payload) {
            try self.init(object: object, payload: payload)
            return
        }
        guard payload.count <= Self.maximumBytes else { throw .payloadTooLarge }
        self.init(
            bytes: Array(payload), identity: .unsequenced(contentHash: StableHash.of(payload)), time: .absent)
    }

    /// The same payload with the bytes that its bytes say as hexadecimal text; `nil` where they are no such text.
    var written: Self? {
        TextEncoding.bytes(written: bytes).map { written in
            var payload = self
            payload.bytes = written
            return payload
        }
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

enum TextEncoding {
    /// Whether bytes are text, with the line end or the zero that programs put behind it.
    static func isText(_ bytes: [UInt8]) -> Bool {
        let characters = bytes.last == 0 ? bytes.dropLast() : bytes[...]
        return characters.first.map { $0 >= 0x20 } ?? false
            && characters.allSatisfy { (0x20...0x7E).contains($0) || [9, 10, 13].contains($0) }
    }

    private static let separators = Array(" :-\r\n\0".utf8)

    /// The bytes that hexadecimal text stands for; `nil` where it is none.
    static func bytes(written text: [UInt8]) -> [UInt8]? {
        text.count >= 4 ? try? bytes(hex: String(decoding: text, as: UTF8.self)) : nil
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

/// Reads what is counted of Bluetooth sensor notifications. Those that share a topic are read to their end, so that
/// bytes of another kind are refused.
///
/// Sources: Bluetooth SIG, "GATT Specification Supplement", CSC, RSC, Cycling Power and Heart Rate Measurement; "Fitness
/// Machine Service 1.0", sections 4.4 to 4.9.
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

    /// The power of a Cycling Power Measurement (0x2A63), and its crank, with the fields of a CSC crank; `nil` without
    /// one.
    static func cyclingPower(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> (watts: Int16, crank: Crank?) {
        var reader = ByteReader(bytes)
        let flags = try reader.read(UInt16.self)
        let watts = try reader.read(Int16.self)
        try reader.skip([(0, 1), (2, 2), (4, 6)], flags)
        let crank = flags & 1 << 5 != 0 ? try reader.readCrank() : nil
        // Extreme forces, torques and angles, top and bottom dead spots, and accumulated energy.
        try reader.skip([(6, 4), (7, 4), (8, 3), (9, 2), (10, 2), (11, 2)], flags)
        guard reader.isAtEnd else { throw .malformed }
        return (watts, crank)
    }

    /// The speed of an RSC Measurement (0x2A53) of a runner's pod, in 1/256 m/s; its cadence is not counted.
    static func running(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> UInt16 {
        var reader = ByteReader(bytes)
        let flags = try reader.read(UInt8.self)
        let speed = try reader.read(UInt16.self)
        _ = try reader.readBytes(1)
        try reader.skip([(0, 2), (1, 4)], UInt16(flags))
        guard flags & ~7 == 0, reader.isAtEnd else { throw .malformed }
        return speed
    }

    /// Beats a minute of a Heart Rate Measurement (0x2A37); none where the strap says that it has lost the skin, whatever
    /// number it goes on to send.
    ///
    /// Energy and the intervals between beats are not read, and bridges cut them short.
    static func heartRate(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> RiderNumbers {
        var reader = ByteReader(bytes)
        let flags = try reader.read(UInt8.self)
        let bpm = flags & 1 != 0 ? Double(try reader.read(UInt16.self)) : Double(try reader.read(UInt8.self))
        let energyBytes = flags & 1 << 3 != 0 ? 2 : 0
        // Intervals between beats, and what a reserved bit stands for, are of any length.
        guard flags & 0b1111_0000 != 0 || reader.remaining <= energyBytes else { throw .malformed }
        let hasLostSkin = flags & 0b110 == 0b100
        return RiderNumbers(bpm: hasLostSkin ? nil : bpm)
    }
}

extension BluetoothMeasurement {
    private enum BikeField {
        case skipped(Int)
        /// In 1/2 rpm, u16.
        case cadence
        /// In W, s16.
        case power
        /// In bpm, u8; 0 from a machine to which no strap speaks.
        case heart

        var isSkipped: Bool { if case .skipped = self { true } else { false } }
    }

    /// The fields of Indoor Bike Data in their order, by the bits of its flags. Bit 0 is inverted: it means that more data
    /// follow in another notification. Bit 1 is average speed and bit 2 instantaneous cadence; the SIG's old XML description
    /// has the two swapped.
    private static let bikeFields: [BikeField] = [
        .skipped(2), .skipped(2), .cadence, .skipped(2), .skipped(3), .skipped(2), .power, .skipped(2), .skipped(5),
        .heart,
    ]

    /// The cadence, power and heart rate of Indoor Bike Data (0x2AD2). Machines add fields of their own behind these, and
    /// bridges cut notifications short: what is whole counts.
    ///
    /// - Throws: `.malformed` where it ends before the first of them that it claims to have.
    static func indoorBike(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> RiderNumbers {
        var reader = ByteReader(bytes)
        let flags = try reader.read(UInt16.self) ^ 1
        let claimed = bikeFields.indices.filter { flags & 1 << UInt16($0) != 0 }.map { bikeFields[$0] }
        guard let last = claimed.lastIndex(where: { !$0.isSkipped }) else { return RiderNumbers() }
        var numbers = RiderNumbers()
        do throws(WireError) {
            for field in claimed[...last] {
                switch field {
                case .skipped(let count): _ = try reader.readBytes(count)
                case .cadence: numbers.rpm = Double(try reader.read(UInt16.self)) / 2
                case .power: numbers.watts = Double(try reader.read(Int16.self))
                case .heart:
                    let bpm = try reader.read(UInt8.self)
                    numbers.bpm = bpm == 0 ? nil : Double(bpm)
                }
            }
        } catch  where !numbers.isEmpty {}
        return numbers
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
