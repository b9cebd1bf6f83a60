/// A Bluetooth CSC Measurement (0x2A5B) of the Cycling Speed and Cadence service (0x1816).
///
/// Source: Bluetooth SIG, "GATT Specification Supplement", CSC Measurement.
public struct CSCMeasurement: Sendable, Hashable {
    /// A running count and the time of its last event.
    public struct Events: Sendable, Hashable {
        /// Revolutions so far: modulo 2³² for a wheel, modulo 2¹⁶ for a crank.
        public var revolutions: UInt32
        /// When the last one was complete, in 1/1024 s, modulo 2¹⁶: it wraps every 64 s.
        public var lastEventTime1024: UInt16
    }

    /// The wheel, where the sensor has one.
    public var wheel: Events?
    /// The crank, where the sensor has one.
    public var crank: Events?

    /// Reads the bytes of a notification.
    public init(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
        guard bytes.count > 0 else { throw .emptyPayload }
        var reader = ByteReader(bytes)
        let flags = try reader.read(UInt8.self)
        if flags & 1 != 0 { wheel = Events(revolutions: try reader.read(), lastEventTime1024: try reader.read()) }
        if flags & 2 != 0 {
            crank = Events(revolutions: UInt32(try reader.read(UInt16.self)), lastEventTime1024: try reader.read())
        }
        guard reader.isAtEnd else { throw .malformed }
    }

    /// The crank's count, as the counter takes it; `nil` without a crank.
    public func revolutionCount(identity: FrameIdentity, time: FrameTime) -> RevolutionCount? {
        guard let crank else { return nil }
        return RevolutionCount(
            identity: identity, time: time, cumulative: UInt64(crank.revolutions), modulus: 65_536,
            lastEventTime1024: crank.lastEventTime1024)
    }
}
