/// A Bluetooth RSC Measurement (0x2A53) of the Running Speed and Cadence service (0x1814).
///
/// Source: Bluetooth SIG, "GATT Specification Supplement", RSC Measurement.
public struct RSCMeasurement: Sendable, Hashable {
    /// Metres a second.
    public var speedMetresPerSecond: Double
    /// Strides of one foot a minute, as the sensor calls it: some sensors send steps.
    public var cadencePerMinute: UInt8
    /// Metres of a stride.
    public var strideMetres: Double?
    /// Metres since the sensor began.
    public var distanceMetres: Double?
    /// Whether the wearer runs; walks otherwise.
    public var isRunning: Bool

    /// Reads the bytes of a notification.
    public init(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
        guard bytes.count > 0 else { throw .emptyPayload }
        var reader = ByteReader(bytes)
        let flags = try reader.read(UInt8.self)
        isRunning = flags & 4 != 0
        speedMetresPerSecond = Double(try reader.read(UInt16.self)) / 256
        cadencePerMinute = try reader.read()
        if flags & 1 != 0 { strideMetres = Double(try reader.read(UInt16.self)) / 100 }
        if flags & 2 != 0 { distanceMetres = Double(try reader.read(UInt32.self)) / 10 }
        guard reader.isAtEnd else { throw .malformed }
    }
}
