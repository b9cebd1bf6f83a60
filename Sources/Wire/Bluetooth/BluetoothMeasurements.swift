/// Notifications of Bluetooth sensors, as far as something in them is counted. Each is read to its end, so that bytes of
/// another kind are refused.
///
/// Sources: Bluetooth SIG, "GATT Specification Supplement", CSC, RSC and Cycling Power Measurement; "Fitness Machine
/// Service 1.0", section 4.9.1.
enum BluetoothMeasurement {
    /// A crank's running count and the time of its last event.
    struct Crank {
        /// Revolutions so far, modulo 2¹⁶.
        let revolutions: UInt16
        /// The time at which the last one was complete, in 1/1024 s, modulo 2¹⁶: it wraps every 64 s.
        let lastEventTime1024: UInt16

        fileprivate init(_ reader: inout ByteReader) throws(WireError) {
            revolutions = try reader.read()
            lastEventTime1024 = try reader.read()
        }

        /// The count, as the counter takes it.
        func revolutionCount(identity: FrameIdentity, time: FrameTime) -> RevolutionCount {
            RevolutionCount(
                identity: identity, time: time, cumulative: UInt64(revolutions), modulus: 65_536,
                lastEventTime1024: lastEventTime1024)
        }
    }

    /// The crank of a CSC Measurement (0x2A5B); `nil` for a wheel alone.
    static func speedAndCadence(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> Crank? {
        var reader = ByteReader(bytes)
        let flags = try reader.read(UInt8.self)
        if flags & 1 != 0 { _ = try reader.readBytes(6) }
        let crank = flags & 2 != 0 ? try Crank(&reader) : nil
        guard reader.isAtEnd else { throw .malformed }
        return crank
    }

    /// The crank of a Cycling Power Measurement (0x2A63), which is that of a CSC sensor; `nil` without one.
    static func cyclingPower(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> Crank? {
        var reader = ByteReader(bytes)
        let flags = try reader.read(UInt16.self)
        _ = try reader.readBytes(2)
        try reader.skip([(0, 1), (2, 2), (4, 6)], flags)
        let crank = flags & 1 << 5 != 0 ? try Crank(&reader) : nil
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
    /// Bit 0 of the flags is inverted: speed is there when it is 0. Bit 1 is average speed and bit 2 instantaneous
    /// cadence; the SIG's old XML description has the two swapped.
    static func indoorBikeCadenceRPM(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> Double? {
        var reader = ByteReader(bytes)
        let flags = try reader.read(UInt16.self) ^ 1
        try reader.skip([(0, 2), (1, 2)], flags)
        let cadenceRPM = flags & 1 << 2 != 0 ? Double(try reader.read(UInt16.self)) / 2 : nil
        // Average cadence, distance, resistance, power twice, energy, heart rate, equivalent, elapsed and remaining time.
        try reader.skip(
            [(3, 2), (4, 3), (5, 2), (6, 2), (7, 2), (8, 5), (9, 1), (10, 1), (11, 2), (12, 2)], flags)
        guard reader.isAtEnd else { throw .malformed }
        return cadenceRPM
    }
}

extension ByteReader {
    /// Steps over the fields whose bits are set, each so many bytes long.
    fileprivate mutating func skip(_ fields: [(bit: UInt16, byteCount: Int)], _ flags: UInt16) throws(WireError) {
        for (bit, byteCount) in fields where flags & 1 << bit != 0 { _ = try readBytes(byteCount) }
    }
}
