/// Bluetooth Indoor Bike Data (0x2AD2) of the Fitness Machine service (0x1826).
///
/// Bit 0 of the flags is inverted: speed is there when it is 0. Bit 1 is average speed and bit 2 instantaneous
/// cadence; the SIG's old XML description has the two swapped. Source: Bluetooth SIG, "Fitness Machine Service 1.0",
/// section 4.9.1.
public struct FTMSIndoorBikeData: Sendable, Hashable {
    /// Kilometres an hour.
    public var speedKilometresPerHour: Double?
    /// Crank revolutions a minute.
    public var cadenceRPM: Double?
    /// Mean crank revolutions a minute.
    public var averageCadenceRPM: Double?
    /// Metres since the machine began.
    public var distanceMetres: UInt32?
    /// Watts.
    public var powerWatts: Int16?
    /// Heart beats a minute; 0 on the wire means none.
    public var heartRatePerMinute: UInt8?
    /// Seconds since the machine began.
    public var elapsedSeconds: UInt16?

    /// Reads the bytes of a notification.
    public init(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
        guard bytes.count > 0 else { throw .emptyPayload }
        var reader = ByteReader(bytes)
        let flags = try reader.read(UInt16.self)
        func has(_ bit: UInt16) -> Bool { flags & (1 << bit) != 0 }
        if !has(0) { speedKilometresPerHour = Double(try reader.read(UInt16.self)) / 100 }
        if has(1) { _ = try reader.readBytes(2) }
        if has(2) { cadenceRPM = Double(try reader.read(UInt16.self)) / 2 }
        if has(3) { averageCadenceRPM = Double(try reader.read(UInt16.self)) / 2 }
        if has(4) { distanceMetres = UInt32(try reader.read(UInt16.self)) | UInt32(try reader.read(UInt8.self)) << 16 }
        if has(5) { _ = try reader.readBytes(2) }
        if has(6) { powerWatts = try reader.read() }
        if has(7) { _ = try reader.readBytes(2) }
        if has(8) { _ = try reader.readBytes(5) }
        if has(9) {
            let beats = try reader.read(UInt8.self)
            heartRatePerMinute = beats == 0 ? nil : beats
        }
        if has(10) { _ = try reader.readBytes(1) }
        if has(11) { elapsedSeconds = try reader.read() }
        if has(12) { _ = try reader.readBytes(2) }
        guard reader.isAtEnd else { throw .malformed }
    }
}
