extension MotionContent {
    /// Reads a message of a device on one of its own topics: `rev`, `csc`, `ftms`, `hr`, `count`, `seconds` or `mark`.
    ///
    /// Returns nothing for a valid payload with nothing to count: a wheel without a crank, a strap that has lost the
    /// skin, a runner's pod, an edge of a workout. `FrameDecoder` reads frames, on `imu`.
    package static func decoding(
        _ message: DeviceMessage, on channel: DeviceChannel
    ) throws(WireError) -> [MotionContent] {
        let payload = message.payload
        guard payload.count > 0 else { throw .emptyPayload }
        if channel == .seconds { return [.recorded(try RecordedSeconds(json: payload))] }
        guard payload.count <= CountLimits.maximumPayloadBytes else { throw .payloadTooLarge }
        switch channel {
        case .rev: return [.revolutions(try RevolutionCount(rev: payload))]
        case .csc: return try decoding(try BluetoothPayload(payload), decodingCSC)
        case .ftms: return try decodingRider(message, decodingMachine)
        case .hr:
            if let plain = try plainHeartRate(message) { return plain }
            return try decodingRider(message, decodingStrap)
        case .count:
            return [.steps(try DeviceStepCount(count: payload, arrivalMicroseconds: message.arrivalMicroseconds))]
        case .mark:
            _ = try Mark(payload: payload).second(arrivalSeconds: Double(message.arrivalMicroseconds) / 1e6)
            return []
        default: throw .unknownTopic
        }
    }

    /// Reads a notification. Where its bytes are none but hexadecimal digits, it is the bytes that these write.
    private static func decoding(
        _ payload: BluetoothPayload, _ read: (BluetoothPayload) throws(WireError) -> [MotionContent]
    ) throws(WireError) -> [MotionContent] {
        guard !payload.bytes.isEmpty else { throw .emptyPayload }
        if let written = payload.written { do throws(WireError) { return try read(written) } catch {} }
        // No measurement's flags are letters or digits.
        guard !TextEncoding.isText(payload.bytes) else { throw .malformed }
        return try read(payload)
    }

    /// CSC, RSC and Cycling Power share a topic. Under the same flags no two of them have the same length, but for a
    /// power alone, which is as long as a pace alone: where nobody has such a power and somebody runs so, it is a pace.
    private static func decodingCSC(_ payload: BluetoothPayload) throws(WireError) -> [MotionContent] {
        try payload.bytes.withRawBytes { bytes throws(WireError) -> [MotionContent] in
            do throws(WireError) {
                return revolutions(try BluetoothMeasurement.speedAndCadence(bytes), payload)
            } catch {}
            let pace = try? BluetoothMeasurement.running(bytes)
            guard let (watts, crank) = try? BluetoothMeasurement.cyclingPower(bytes) else {
                guard pace != nil else { throw .malformed }
                return []
            }
            let seemsPace =
                Reading.Kind.power.possible(Double(watts)) == nil
                && pace.map { (1...CountLimits.maximumPace256).contains($0) } ?? false
            let isPace = payload.characteristic.map { $0 == 0x2A53 } ?? seemsPace
            if isPace { return [] }
            return revolutions(crank, payload)
                + RiderNumbers(watts: Double(watts)).contents(identity: payload.identity, time: payload.time)
        }
    }

    private static func revolutions(
        _ crank: BluetoothMeasurement.Crank?, _ payload: BluetoothPayload
    ) -> [MotionContent] {
        guard let crank else { return [] }
        return [
            .revolutions(
                RevolutionCount(
                    identity: payload.identity, time: payload.time, cumulative: UInt64(crank.revolutions),
                    modulus: 65_536, lastEventTime1024: crank.lastEventTime1024))
        ]
    }

    /// A machine or a strap: a notification, or an object with `cadence_rpm`, `watts` or `bpm`. Where it has neither a
    /// number nor a time, the same bytes again are a report of a later time.
    private static func decodingRider(
        _ message: DeviceMessage, _ read: (BluetoothPayload) throws(WireError) -> [MotionContent]
    ) throws(WireError) -> [MotionContent] {
        func identity(_ identity: FrameIdentity, _ time: FrameTime) -> FrameIdentity {
            if case .unsequenced = identity, time == .absent { message.arrivalIdentity } else { identity }
        }
        if let object = try JSONObject(beginning: message.payload), let numbers = try RiderNumbers(object) {
            guard object["hex"] == nil, object["base64"] == nil else { throw .contradiction }
            let time = try object.frameTime()
            return numbers.contents(identity: identity(try object.identity(of: message.payload), time), time: time)
        }
        var notification = try BluetoothPayload(message.payload)
        notification.identity = identity(notification.identity, notification.time)
        return try decoding(notification, read)
    }

    /// Indoor Bike Data; nothing where the bridge says that it is of another machine.
    private static func decodingMachine(_ payload: BluetoothPayload) throws(WireError) -> [MotionContent] {
        guard [nil, 0x2AD2].contains(payload.characteristic) else { return [] }
        return try payload.bytes.withRawBytes(BluetoothMeasurement.indoorBike)
            .contents(identity: payload.identity, time: payload.time)
    }

    private static func decodingStrap(_ payload: BluetoothPayload) throws(WireError) -> [MotionContent] {
        try payload.bytes.withRawBytes(BluetoothMeasurement.heartRate)
            .contents(identity: payload.identity, time: payload.time)
    }

    /// A heart rate as text, `72`; `nil` for what is no text. No flags of a measurement are letters or digits, and a
    /// number with as many digits as a measurement is no heart rate.
    private static func plainHeartRate(_ message: DeviceMessage) throws(WireError) -> [MotionContent]? {
        let bytes = Array(message.payload)
        guard bytes.first != 0, TextEncoding.isText(bytes.filter { $0 != 0 }),
            bytes.first(where: { $0 != 0x20 }) != UInt8(ascii: "{")
        else { return nil }
        if let measurement = TextEncoding.bytes(written: bytes),
            (try? measurement.withRawBytes(BluetoothMeasurement.heartRate)) != nil
        {
            return nil
        }
        guard let bpm = try message.number() else { return [] }
        return [.reading(.heart, bpm, message)]
    }
}

/// The limits of messages from devices that count by themselves.
package enum CountLimits {
    /// The largest payload on `rev`, `csc`, `ftms`, `hr` and `count`, in bytes.
    package static let maximumPayloadBytes = 4096
    /// The most steps or revolutions that a counter may show.
    package static let maximumCount: UInt64 = 1 << 53
    /// The most steps of an interval: more than anybody makes in a month.
    package static let maximumIntervalSteps: UInt64 = 1_000_000_000
    /// The longest interval of a step count, in microseconds: 31 days.
    package static let maximumIntervalMicroseconds: Int64 = 31 * 86_400_000_000
    /// The highest accepted cadence, in revolutions a minute.
    package static let maximumCadenceRPM = 300.0
    /// The fastest that anybody runs, in 1/256 m/s: 12.5 m/s.
    static let maximumPace256: UInt16 = 3_200
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
        if let time = try microseconds("t") { return try .checkedUTC(microseconds: time, earliest: 0) }
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
