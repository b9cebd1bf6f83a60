extension MotionContent {
    /// Reads the payload of a device that counts by itself, from `rev`, `csc`, `ftms` or `count`.
    ///
    /// Returns `nil` for a valid payload with nothing to count: a wheel without a crank, a machine without a cadence, a
    /// runner's pod. `FrameDecoder` reads frames, on `imu`.
    package static func decoding(
        _ payload: UnsafeRawBufferPointer, on channel: DeviceChannel, arrivalMicroseconds: Int64
    ) throws(WireError) -> MotionContent? {
        guard payload.count > 0 else { throw .emptyPayload }
        guard payload.count <= CountLimits.maximumPayloadBytes else { throw .payloadTooLarge }
        switch channel {
        case .rev: return .revolutions(try RevolutionCount(rev: payload))
        case .csc: return try decoding(try BluetoothPayload(payload), decodingCSC)
        case .ftms:
            var notification = try BluetoothPayload(payload)
            if case .unsequenced = notification.identity, notification.time == .absent {
                // The same bytes again are a report of a later time.
                let message = DeviceMessage(payload: payload, arrivalMicroseconds: arrivalMicroseconds)
                notification.identity = message.arrivalIdentity
            }
            return try decoding(notification, decodingFTMS)
        case .count: return .steps(try DeviceStepCount(count: payload, arrivalMicroseconds: arrivalMicroseconds))
        default: throw .unknownTopic
        }
    }

    /// Reads a notification. Where its bytes are none but hexadecimal digits, it is the bytes that these write.
    private static func decoding(
        _ payload: BluetoothPayload, _ read: (BluetoothPayload) throws(WireError) -> MotionContent?
    ) throws(WireError) -> MotionContent? {
        if TextEncoding.isHexadecimal(payload.bytes) {
            var text = payload
            text.bytes = (try? TextEncoding.bytes(hex: String(decoding: payload.bytes, as: UTF8.self))) ?? []
            do throws(WireError) { return try read(text) } catch {}
        }
        return try read(payload)
    }

    /// CSC, RSC and Cycling Power share a topic. Under the same flags no two of them have the same length.
    private static func decodingCSC(_ payload: BluetoothPayload) throws(WireError) -> MotionContent? {
        let crank = try payload.bytes.withRawBytes { bytes throws(WireError) -> BluetoothMeasurement.Crank? in
            guard !bytes.isEmpty else { throw .emptyPayload }
            do throws(WireError) { return try BluetoothMeasurement.speedAndCadence(bytes) } catch {}
            // RSC uses three flag bits; Cycling Power marks a crank with bit 5.
            if bytes[0] > 7 || bytes.count > 1 && bytes[1] > 0 {
                do throws(WireError) { return try BluetoothMeasurement.cyclingPower(bytes) } catch {}
            }
            try BluetoothMeasurement.checkRunning(bytes)
            return nil
        }
        return crank.map { crank in
            .revolutions(
                RevolutionCount(
                    identity: payload.identity, time: payload.time, cumulative: UInt64(crank.revolutions),
                    modulus: 65_536, lastEventTime1024: crank.lastEventTime1024))
        }
    }

    private static func decodingFTMS(_ payload: BluetoothPayload) throws(WireError) -> MotionContent? {
        let cadence = try payload.bytes.withRawBytes { bytes throws(WireError) -> Double? in
            guard !bytes.isEmpty else { throw .emptyPayload }
            return try BluetoothMeasurement.indoorBikeCadenceRPM(bytes)
        }
        guard let rpm = cadence else { return nil }
        guard rpm <= CountLimits.maximumCadenceRPM else { throw .outOfRange }
        return .cadence(rpm: Float(rpm), identity: payload.identity, time: payload.time)
    }
}

/// The limits of messages from devices that count by themselves.
package enum CountLimits {
    /// The largest payload on `rev`, `csc`, `ftms` and `count`, in bytes.
    package static let maximumPayloadBytes = 4096
    /// The most steps or revolutions that a counter may show.
    package static let maximumCount: UInt64 = 1 << 53
    /// The most steps of an interval: more than anybody makes in a month.
    package static let maximumIntervalSteps: UInt64 = 1_000_000_000
    /// The longest interval of a step count, in microseconds: 31 days.
    package static let maximumIntervalMicroseconds: Int64 = 31 * 86_400_000_000
    /// The highest accepted cadence, in revolutions a minute.
    package static let maximumCadenceRPM = 300.0
}

/// Identity and time in the JSON of devices that count by themselves.
extension JSONObject {
    /// `boot` and `seq`, or the hash of the payload if both are missing; one without the other is refused.
    func identity(of payload: UnsafeRawBufferPointer) throws(WireError) -> FrameIdentity {
        guard let boot = try bootID() else {
            guard self["seq"] == nil else { throw .wrongType }
            return .unsequenced(contentHash: StableHash.of(payload))
        }
        return .sequenced(boot: boot, sequence: try value("seq").count())
    }

    /// `boot`: a whole number or text.
    func bootID() throws(WireError) -> BootID? {
        switch self["boot"] {
        case nil: return nil
        case .string(let name): return try BootID(name: name.utf8)
        case .integer(let number): return try BootID(name: String(number).utf8)
        case .unsigned(let number): return BootID(rawValue: number)
        default: throw .wrongType
        }
    }

    /// `t` in s, ms, µs or ns since 1970, else `uptime_ms`.
    func frameTime() throws(WireError) -> FrameTime {
        if let time = try microseconds("t") { return try .checkedUTC(microseconds: time) }
        guard let uptime = self["uptime_ms"] else { return .absent }
        guard let milliseconds = uptime.double else { throw .wrongType }
        return try .checkedUptime(microseconds: try DeviceTime.microseconds(milliseconds: milliseconds))
    }

    /// A time in s, ms, µs or ns since 1970, in microseconds.
    func microseconds(_ name: String) throws(WireError) -> Int64? {
        switch self[name] {
        case nil: return nil
        case .integer(let time): return try DeviceTime.microseconds(time)
        case .number(let time): return try DeviceTime.microseconds(time)
        case .unsigned: throw .absurdTime
        default: throw .wrongType
        }
    }
}
