/// A Bluetooth CSC Measurement (0x2A5B) of the Cycling Speed and Cadence service (0x1816).
///
/// Source: Bluetooth SIG, "GATT Specification Supplement", CSC Measurement.
package struct CSCMeasurement: Sendable, Hashable {
    /// A running count and the time of its last event.
    package struct Events: Sendable, Hashable {
        /// Revolutions so far: modulo 2³² for a wheel, modulo 2¹⁶ for a crank.
        package var revolutions: UInt32
        /// The time at which the last one was complete, in 1/1024 s, modulo 2¹⁶: it wraps every 64 s.
        package var lastEventTime1024: UInt16
    }

    /// The wheel, where the sensor has one.
    package var wheel: Events?
    /// The crank, where the sensor has one.
    package var crank: Events?

    /// Reads the bytes of a notification.
    package init(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
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
    package func revolutionCount(identity: FrameIdentity, time: FrameTime) -> RevolutionCount? {
        guard let crank else { return nil }
        return crank.revolutionCount(identity: identity, time: time)
    }
}

extension CSCMeasurement.Events {
    /// A crank's count, as the counter takes it.
    package func revolutionCount(identity: FrameIdentity, time: FrameTime) -> RevolutionCount {
        RevolutionCount(
            identity: identity, time: time, cumulative: UInt64(revolutions), modulus: 65_536,
            lastEventTime1024: lastEventTime1024)
    }
}

/// Bluetooth Indoor Bike Data (0x2AD2) of the Fitness Machine service (0x1826).
///
/// Bit 0 of the flags is inverted: speed is there when it is 0. Bit 1 is average speed and bit 2 instantaneous
/// cadence; the SIG's old XML description has the two swapped. Source: Bluetooth SIG, "Fitness Machine Service 1.0",
/// section 4.9.1.
package struct FTMSIndoorBikeData: Sendable, Hashable {
    package var speedKilometresPerHour: Double?
    /// Crank revolutions a minute.
    package var cadenceRPM: Double?
    /// Mean crank revolutions a minute.
    package var averageCadenceRPM: Double?
    /// Metres since the machine began.
    package var distanceMetres: UInt32?
    package var powerWatts: Int16?
    /// Heart beats a minute; 0 on the wire means none.
    package var heartRatePerMinute: UInt8?
    /// Seconds since the machine began.
    package var elapsedSeconds: UInt16?

    /// Reads the bytes of a notification.
    package init(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
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

/// A Bluetooth RSC Measurement (0x2A53) of the Running Speed and Cadence service (0x1814).
///
/// Source: Bluetooth SIG, "GATT Specification Supplement", RSC Measurement.
package struct RSCMeasurement: Sendable, Hashable {
    package var speedMetresPerSecond: Double
    /// Strides of one foot a minute, as the sensor calls it: some sensors send steps.
    package var cadencePerMinute: UInt8
    package var strideMetres: Double?
    /// Metres since the sensor began.
    package var distanceMetres: Double?
    /// True if the wearer runs; walks otherwise.
    package var isRunning: Bool

    /// Reads the bytes of a notification.
    package init(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
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

/// A Bluetooth Cycling Power Measurement (0x2A63) of the Cycling Power service (0x1818).
///
/// Its crank is that of a CSC sensor; its wheel counts in 1/2048 s. Source: Bluetooth SIG, "GATT Specification
/// Supplement", Cycling Power Measurement.
package struct CyclingPowerMeasurement: Sendable, Hashable {
    package var powerWatts: Int16
    /// The crank, where the sensor has one.
    package var crank: CSCMeasurement.Events?

    /// Reads the bytes of a notification.
    package init(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
        guard bytes.count > 0 else { throw .emptyPayload }
        var reader = ByteReader(bytes)
        let flags = try reader.read(UInt16.self)
        func has(_ bit: UInt16) -> Bool { flags & (1 << bit) != 0 }
        powerWatts = try reader.read()
        if has(0) { _ = try reader.readBytes(1) }
        if has(2) { _ = try reader.readBytes(2) }
        if has(4) { _ = try reader.readBytes(6) }
        if has(5) {
            crank = CSCMeasurement.Events(
                revolutions: UInt32(try reader.read(UInt16.self)), lastEventTime1024: try reader.read())
        }
        // Extreme forces, torques and angles, top and bottom dead spots, and accumulated energy.
        for (bit, size) in [(UInt16(6), 4), (7, 4), (8, 3), (9, 2), (10, 2), (11, 2)] where has(bit) {
            _ = try reader.readBytes(size)
        }
        guard reader.isAtEnd else { throw .malformed }
    }
}
