import CSimdJSON

/// Our two JSON forms. The shim parses the text and checks its shape; units and limits are checked here.
extension Frame {
    /// Decodes either JSON form into this empty frame.
    mutating func decodeJSON(_ payload: UnsafeRawBufferPointer, with parser: SimdJSONParser) throws(WireError) {
        guard let handle = parser.handle else { throw .payloadTooLarge }
        var head = stridebus_json_frame()
        try WireError.check(
            stridebus_json_frame_parse(
                handle, payload.baseAddress, payload.count, FrameLimits.maximumSamples, &head))
        identity = try Self.identity(head)
        time = try Self.time(head)
        timing = try Self.timing(head)
        sensors = Self.sensors(head)
        sampleCount = head.sample_count
        pressuresHectopascals.append(contentsOf: repeatElement(0, count: head.pressure_count))
        try readSamples(handle, head)
    }

    private mutating func readSamples(_ handle: OpaquePointer, _ head: stridebus_json_frame) throws(WireError) {
        let valueCount = sampleCount * sensors.valuesPerSample
        values.append(contentsOf: repeatElement(0, count: valueCount))
        intervalsMicroseconds.append(contentsOf: repeatElement(0, count: head.interval_count))
        let result = values.withUnsafeMutableBufferPointer { values in
            intervalsMicroseconds.withUnsafeMutableBufferPointer { intervals in
                pressuresHectopascals.withUnsafeMutableBufferPointer { pressures in
                    stridebus_json_frame_read(
                        handle, values.baseAddress, valueCount, intervals.baseAddress, intervals.count,
                        pressures.baseAddress, pressures.count)
                }
            }
        }
        try WireError.check(result)
    }

    /// A boot needs a sequence number and the other way round: one alone identifies nothing.
    private static func identity(_ head: stridebus_json_frame) throws(WireError) -> FrameIdentity {
        guard head.has_boot == head.has_sequence else { throw .wrongType }
        guard head.has_boot else { return .unsequenced(contentHash: 0) }
        let boot = try BootID(name: UnsafeRawBufferPointer(start: head.boot, count: head.boot_length))
        return .sequenced(boot: boot, sequence: head.sequence)
    }

    /// The compact form's `t` is the device's own milliseconds, unless it is so great that it must be UTC.
    private static func time(_ head: stridebus_json_frame) throws(WireError) -> FrameTime {
        if head.time.present {
            if head.is_compact { return try compactTime(head.time.number) }
            let microseconds =
                head.time.is_integer
                ? try DeviceTime.microseconds(head.time.integer) : try DeviceTime.microseconds(head.time.number)
            return try .checkedUTC(microseconds: microseconds)
        }
        guard head.uptime_ms.present else { return .absent }
        return try .checkedUptime(microseconds: try DeviceTime.microseconds(milliseconds: head.uptime_ms.number))
    }

    private static func compactTime(_ milliseconds: Double) throws(WireError) -> FrameTime {
        let microseconds = try DeviceTime.microseconds(milliseconds: milliseconds)
        if microseconds > FrameLimits.maximumUptimeMicroseconds { return try .checkedUTC(microseconds: microseconds) }
        return try .checkedUptime(microseconds: microseconds)
    }

    private static func timing(_ head: stridebus_json_frame) throws(WireError) -> FrameTiming {
        guard !head.rate_hz.present || !(head.period_ms.present || head.has_intervals) else { throw .contradiction }
        if head.has_intervals { return .intervals }
        if head.rate_hz.present { return try uniform(nanoseconds: 1e9 / head.rate_hz.number) }
        if head.period_ms.present { return try uniform(nanoseconds: head.period_ms.number * 1e6) }
        return .uniform(periodNanoseconds: 0)
    }

    private static func uniform(nanoseconds: Double) throws(WireError) -> FrameTiming {
        guard let period = UInt32(exactly: nanoseconds.rounded()), FrameLimits.periodNanoseconds.contains(period)
        else { throw .absurdRate }
        return .uniform(periodNanoseconds: period)
    }

    private static func sensors(_ head: stridebus_json_frame) -> SensorSet {
        var sensors: SensorSet = []
        if head.has_acceleration { sensors.insert(.acceleration) }
        if head.gravity_removed { sensors.insert(.gravityRemoved) }
        if head.has_angular_velocity { sensors.insert(.angularVelocity) }
        if head.has_magnetic_field { sensors.insert(.magneticField) }
        return sensors
    }
}
