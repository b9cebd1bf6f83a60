extension ByteReader {
    /// Takes a record; a frame is read into the storage that is given.
    mutating func readRecord(reusing storage: consuming Frame) throws(WireError) -> MotionRecord {
        let device = try readDevice()
        let arrival = try read(Int64.self)
        guard let kind = MotionRecordKind(rawValue: try read()) else { throw .malformed }
        let content: MotionContent =
            switch kind {
            case .frame: .frame(try readFrame(reusing: storage, hasPressures: false))
            case .frameWithPressures: .frame(try readFrame(reusing: storage, hasPressures: true))
            case .revolutions: .revolutions(try readRevolutions())
            case .cadence: try readCadence()
            case .steps: .steps(try readSteps())
            case .refusal: try readRefusal()
            }
        return MotionRecord(device: device, arrivalMicroseconds: arrival, content: content)
    }

    private mutating func readFrame(
        reusing storage: consuming Frame, hasPressures: Bool
    ) throws(WireError) -> Frame {
        var frame = storage
        frame.removeAll()
        frame.identity = try readIdentity()
        frame.time = try readTime()
        try readTiming(into: &frame)
        frame.sensors = SensorSet(rawValue: try read())
        frame.sampleCount = Int(try read(UInt32.self))
        let valueCount = Int(try read(UInt32.self))
        guard frame.sampleCount <= FrameLimits.maximumSamples else { throw .tooManySamples }
        guard valueCount == frame.sampleCount * frame.sensors.valuesPerSample else { throw .malformed }
        try readNumbers(valueCount, into: &frame.values)
        guard hasPressures else { return frame }
        let pressureCount = Int(try read(UInt32.self))
        guard pressureCount <= FrameLimits.maximumSamples else { throw .tooManySamples }
        try readNumbers(pressureCount, into: &frame.pressuresHectopascals)
        return frame
    }

    private mutating func readTiming(into frame: inout Frame) throws(WireError) {
        switch try read(UInt8.self) {
        case MotionTag.uniform: frame.timing = .uniform(periodNanoseconds: try read())
        case MotionTag.intervals:
            frame.timing = .intervals
            let count = Int(try read(UInt32.self))
            guard count < FrameLimits.maximumSamples else { throw .tooManySamples }
            for _ in 0..<count { frame.intervalsMicroseconds.append(try read()) }
        default: throw .malformed
        }
    }

    private mutating func readNumbers(_ count: Int, into numbers: inout [Float]) throws(WireError) {
        let bytes = try readBytes(count * MemoryLayout<Float>.size)
        numbers.append(contentsOf: repeatElement(0, count: count))
        numbers.withUnsafeMutableBytes { $0.copyMemory(from: bytes) }
        let isFinite = numbers.withUnsafeBufferPointer { values in
            var isFinite = true
            for value in values { isFinite = value.isFinite && isFinite }
            return isFinite
        }
        guard isFinite else { throw .outOfRange }
    }

    private mutating func readRevolutions() throws(WireError) -> RevolutionCount {
        let identity = try readIdentity()
        let time = try readTime()
        let cumulative = try read(UInt64.self)
        let modulus = try read(UInt64.self)
        let hasEventTime = try read(UInt8.self) == MotionTag.hasEventTime
        let eventTime = try read(UInt16.self)
        return RevolutionCount(
            identity: identity, time: time, cumulative: cumulative, modulus: modulus,
            lastEventTime1024: hasEventTime ? eventTime : nil)
    }

    private mutating func readCadence() throws(WireError) -> MotionContent {
        let identity = try readIdentity()
        let time = try readTime()
        return .cadence(rpm: try readFloat(), identity: identity, time: time)
    }

    private mutating func readSteps() throws(WireError) -> DeviceStepCount {
        guard let kind = DeviceStepCount.Kind(rawValue: try read()) else { throw .malformed }
        return DeviceStepCount(
            kind: kind, steps: try read(), startMicroseconds: try read(), endMicroseconds: try read(),
            boot: BootID(rawValue: try read()))
    }

    private mutating func readRefusal() throws(WireError) -> MotionContent {
        guard let error = WireError(rawValue: try read()) else { throw .malformed }
        return .refusal(error, count: try read())
    }

    private mutating func readIdentity() throws(WireError) -> FrameIdentity {
        switch try read(UInt8.self) {
        case MotionTag.sequenced: .sequenced(boot: BootID(rawValue: try read()), sequence: try read())
        case MotionTag.unsequenced: .unsequenced(contentHash: try read())
        default: throw .malformed
        }
    }

    private mutating func readTime() throws(WireError) -> FrameTime {
        switch try read(UInt8.self) {
        case MotionTag.utc: .utc(microseconds: try read())
        case MotionTag.uptime: .uptime(microseconds: try read())
        case MotionTag.absent: .absent
        default: throw .malformed
        }
    }
}
