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

/// The data of a fitness machine: which bit of its flags says that a field is there, in the order of the fields.
///
/// Bit 0 is inverted in all of them: it means that more data follow in another notification.
struct FitnessMachine: Sendable {
    enum Field: Sendable {
        case skipped(Int)
        /// In 1/2 rpm, u16.
        case cadence
        /// In W, s16.
        case power
        /// In bpm, u8; 0 from a machine to which no strap speaks.
        case heart

        var isSkipped: Bool { if case .skipped = self { true } else { false } }
    }

    /// The flags are two bytes, and three of a cross trainer.
    var flagBytes = 2
    var fields: [(bit: UInt32, field: Field)]

    /// By the characteristic, Indoor Bike Data where that is not said.
    static func of(characteristic: UInt16?) -> FitnessMachine? {
        switch characteristic {
        case nil, 0x2AD2: indoorBike
        case 0x2ACD: treadmill
        case 0x2ACE: crossTrainer
        case 0x2AD1: rower
        default: nil
        }
    }

    /// Bit 1 is average speed and bit 2 instantaneous cadence; the SIG's old XML description has the two swapped.
    private static let indoorBike = FitnessMachine(fields: [
        (0, .skipped(2)), (1, .skipped(2)), (2, .cadence), (3, .skipped(2)), (4, .skipped(3)), (5, .skipped(2)),
        (6, .power), (7, .skipped(2)), (8, .skipped(5)), (9, .heart),
    ])
    private static let treadmill = FitnessMachine(fields: [
        (0, .skipped(2)), (1, .skipped(2)), (2, .skipped(3)), (3, .skipped(4)), (4, .skipped(4)), (5, .skipped(1)),
        (6, .skipped(1)), (7, .skipped(5)), (8, .heart), (9, .skipped(1)), (10, .skipped(2)), (11, .skipped(2)),
        (12, .skipped(2)), (12, .power),
    ])
    private static let crossTrainer = FitnessMachine(
        flagBytes: 3,
        fields: [
            (0, .skipped(2)), (1, .skipped(2)), (2, .skipped(3)), (3, .skipped(4)), (4, .skipped(2)), (5, .skipped(4)),
            (6, .skipped(4)), (7, .skipped(2)), (8, .power), (9, .skipped(2)), (10, .skipped(5)), (11, .heart),
        ])
    private static let rower = FitnessMachine(fields: [
        (0, .skipped(3)), (1, .skipped(1)), (2, .skipped(3)), (3, .skipped(2)), (4, .skipped(2)), (5, .power),
        (6, .skipped(2)), (7, .skipped(2)), (8, .skipped(5)), (9, .heart),
    ])

    /// The cadence, power and heart rate of a notification. Machines add fields of their own behind these, and bridges
    /// cut notifications short: what is whole counts.
    ///
    /// - Throws: `.malformed` where it ends before the first of them that it claims to have.
    func read(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> RiderNumbers {
        var reader = ByteReader(bytes)
        var flags: UInt32 = 0
        for byte in 0..<flagBytes { flags |= UInt32(try reader.read(UInt8.self)) << UInt32(8 * byte) }
        flags ^= 1
        let claimed = fields.filter { flags & 1 << $0.bit != 0 }
        guard let last = claimed.lastIndex(where: { !$0.field.isSkipped }) else { return RiderNumbers() }
        var numbers = RiderNumbers()
        do throws(WireError) {
            for (_, field) in claimed[...last] {
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
