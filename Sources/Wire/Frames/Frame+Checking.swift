/// What every form of a frame has to keep to.
extension Frame {
    /// Checks the spacing of the samples against `FrameLimits`.
    func checkTiming() throws(WireError) {
        switch timing {
        case .uniform(let period):
            if period == 0 && sampleCount == 1 { return }
            guard FrameLimits.periodNanoseconds.contains(period) else { throw .absurdRate }
        case .intervals:
            guard intervalsMicroseconds.count == sampleCount - 1 else { throw .unevenSensors }
            var sum: UInt64 = 0
            for interval in intervalsMicroseconds {
                guard interval <= FrameLimits.maximumIntervalMicroseconds else { throw .absurdRate }
                sum += UInt64(interval)
            }
            try checkMeanInterval(sum: sum)
        }
    }

    private func checkMeanInterval(sum: UInt64) throws(WireError) {
        guard sampleCount > 1 else { return }
        let mean = sum * 1000 / UInt64(sampleCount - 1)
        guard FrameLimits.periodNanoseconds.contains(UInt32(clamping: mean)) else { throw .absurdRate }
    }

    /// Checks every value against the largest magnitude of its sensor; NaN and infinity do not pass.
    func checkValues() throws(WireError) {
        let width = sensors.valuesPerSample
        guard sampleCount > 0, width > 0 || !pressuresHectopascals.isEmpty else { throw .noSamples }
        guard max(sampleCount, pressuresHectopascals.count) <= FrameLimits.maximumSamples else { throw .tooManySamples }
        guard pressuresHectopascals.allSatisfy({ (0...FrameLimits.maximumPressure).contains($0) }) else {
            throw .outOfRange
        }
        guard values.count == sampleCount * width else { throw .malformed }
        var offset = 0
        for (sensor, limit) in Self.limits where sensors.contains(sensor) {
            let isInside = values.withUnsafeBufferPointer { values in
                Self.check(values, from: offset, by: width, limit: limit)
            }
            guard isInside else { throw .outOfRange }
            offset += 3
        }
    }

    private static let limits: [(sensor: SensorSet, limit: Float)] = [
        (.acceleration, FrameLimits.maximumAcceleration),
        (.angularVelocity, FrameLimits.maximumAngularVelocity),
        (.magneticField, FrameLimits.maximumMagneticField),
    ]

    private static func check(
        _ values: UnsafeBufferPointer<Float>, from offset: Int, by width: Int, limit: Float
    ) -> Bool {
        var isInside = true
        var place = offset
        while place + 2 < values.count {
            isInside = abs(values[place]) <= limit && isInside
            isInside = abs(values[place + 1]) <= limit && isInside
            isInside = abs(values[place + 2]) <= limit && isInside
            place += width
        }
        return isInside
    }
}

extension FrameTime {
    /// A UTC time from microseconds since 1970, if a clock may show it.
    static func checkedUTC(microseconds: Int64) throws(WireError) -> FrameTime {
        guard microseconds >= FrameLimits.minimumTimeMicroseconds, microseconds < FrameLimits.maximumTimeMicroseconds
        else { throw .absurdTime }
        return .utc(microseconds: microseconds)
    }

    /// An uptime, if a device may live that long.
    static func checkedUptime(microseconds: Int64) throws(WireError) -> FrameTime {
        guard (0...FrameLimits.maximumUptimeMicroseconds).contains(microseconds) else { throw .absurdTime }
        return .uptime(microseconds: microseconds)
    }
}

extension StableHash {
    /// The hash of a payload.
    static func of(_ payload: UnsafeRawBufferPointer) -> UInt64 {
        var hash = StableHash()
        hash.combine(payload)
        return hash.value
    }
}
