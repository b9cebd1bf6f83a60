/// The kinds of record in a motion batch.
enum MotionRecordKind: UInt8 {
    case frame = 1
    case revolutions = 2
    case cadence = 3
    case steps = 4
    case refusal = 5
    case activity = 6
    case name = 7
    case reading = 8
    case recorded = 9
}

/// The kinds of identity, time and timing in a motion batch.
enum MotionTag {
    static let sequenced: UInt8 = 1
    static let unsequenced: UInt8 = 2
    static let utc: UInt8 = 1
    static let uptime: UInt8 = 2
    static let absent: UInt8 = 3
    static let uniform: UInt8 = 1
    static let intervals: UInt8 = 2
    static let hasEventTime: UInt8 = 1
}

extension ByteWriter {
    mutating func write(_ record: MotionRecord) {
        write(record.device)
        write(record.arrivalMicroseconds)
        switch record.content {
        case .frame(let frame): write(frame)
        case .revolutions(let count): write(count)
        case .cadence(let rpm, let identity, let time):
            write(MotionRecordKind.cadence.rawValue)
            write(identity)
            write(time)
            write(rpm)
        case .reading(let reading):
            write(MotionRecordKind.reading.rawValue)
            write(reading.kind.rawValue)
            write(reading.identity)
            write(reading.time)
            write(reading.value)
        case .recorded(let recorded):
            write(MotionRecordKind.recorded.rawValue)
            write(recorded)
        case .steps(let count): write(count)
        case .activity(let kind, let confidence, let microseconds):
            write(MotionRecordKind.activity.rawValue)
            write(kind.rawValue)
            write(UInt8(truncatingIfNeeded: ActivityConfidence.allCases.firstIndex(of: confidence) ?? 0))
            write(microseconds)
        case .name(let name):
            let bytes = Array(PayloadLimits.cut(name).utf8)
            write(MotionRecordKind.name.rawValue)
            write(UInt16(truncatingIfNeeded: bytes.count))
            write(contentsOf: bytes)
        case .refusal(let error, let count):
            write(MotionRecordKind.refusal.rawValue)
            write(error.rawValue)
            write(count)
        }
    }

    private mutating func write(_ frame: Frame) {
        write(MotionRecordKind.frame.rawValue)
        write(frame.identity)
        write(frame.time)
        switch frame.timing {
        case .uniform(let period):
            write(MotionTag.uniform)
            write(period)
        case .intervals:
            write(MotionTag.intervals)
            write(UInt32(truncatingIfNeeded: frame.intervalsMicroseconds.count))
            for interval in frame.intervalsMicroseconds { write(interval) }
        }
        write(frame.sensors.rawValue)
        write(UInt32(truncatingIfNeeded: frame.sampleCount))
        guard frame.values.count == frame.sampleCount * frame.sensors.valuesPerSample else { return }
        for column in 0..<frame.sensors.sensorCount { PackedSamples.write(frame, column: column, to: &self) }
        write(UInt32(truncatingIfNeeded: frame.pressuresHectopascals.count))
        write(frame.pressuresHectopascals)
    }

    private mutating func write(_ count: RevolutionCount) {
        write(MotionRecordKind.revolutions.rawValue)
        write(count.identity)
        write(count.time)
        write(count.cumulative)
        write(count.modulus)
        write(count.lastEventTime1024 == nil ? UInt8(0) : MotionTag.hasEventTime)
        write(count.lastEventTime1024 ?? 0)
    }

    private mutating func write(_ count: DeviceStepCount) {
        write(MotionRecordKind.steps.rawValue)
        write(count.kind.rawValue)
        write(count.steps)
        write(count.startMicroseconds)
        write(count.endMicroseconds)
        write(count.boot.rawValue)
        write(count.microSteps)
    }

    private mutating func write(_ identity: FrameIdentity) {
        switch identity {
        case .sequenced(let boot, let sequence):
            write(MotionTag.sequenced)
            write(boot.rawValue)
            write(sequence)
        case .unsequenced(let contentHash):
            write(MotionTag.unsequenced)
            write(contentHash)
        }
    }

    private mutating func write(_ time: FrameTime) {
        switch time {
        case .utc(let microseconds):
            write(MotionTag.utc)
            write(microseconds)
        case .uptime(let microseconds):
            write(MotionTag.uptime)
            write(microseconds)
        case .absent: write(MotionTag.absent)
        }
    }
}

extension ByteReader {
    /// Reads a record to the end of the bytes; a frame is read into `storage`. Content that cannot be read is a refusal of
    /// its device.
    mutating func readRecord(reusing storage: consuming Frame) throws(WireError) -> MotionRecord {
        let device = try readDevice()
        let arrival = try read(Int64.self)
        let content: MotionContent
        do throws(WireError) { content = try readContent(reusing: storage) } catch {
            content = .refusal(error, count: 1)
        }
        return MotionRecord(device: device, arrivalMicroseconds: arrival, content: content)
    }

    private mutating func readContent(reusing storage: consuming Frame) throws(WireError) -> MotionContent {
        guard let kind = MotionRecordKind(rawValue: try read()) else { throw .malformed }
        let content: MotionContent =
            switch kind {
            case .frame: .frame(try readFrame(reusing: storage))
            case .revolutions: .revolutions(try readRevolutions())
            case .cadence: try readCadence()
            case .reading: .reading(try readReading())
            case .recorded: .recorded(try readRecordedSeconds())
            case .steps: .steps(try readSteps())
            case .activity: try readActivity()
            case .name: .name(try readName())
            case .refusal: try readRefusal()
            }
        guard isAtEnd else { throw .malformed }
        return content
    }

    private mutating func readFrame(reusing storage: consuming Frame) throws(WireError) -> Frame {
        var frame = storage
        frame.removeAll()
        frame.identity = try readIdentity()
        frame.time = try readTime()
        try readTiming(into: &frame)
        frame.sensors = SensorSet(rawValue: try read())
        frame.sampleCount = Int(try read(UInt32.self))
        guard frame.sampleCount <= FrameLimits.maximumSamples else { throw .tooManySamples }
        let valueCount = frame.sampleCount * frame.sensors.valuesPerSample
        frame.values.append(contentsOf: repeatElement(0, count: valueCount))
        for column in 0..<frame.sensors.sensorCount { try PackedSamples.read(&self, into: &frame, column: column) }
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
        // NaN is a sample that is missing.
        let isBounded = numbers.withUnsafeBufferPointer { values in
            var isBounded = true
            for value in values { isBounded = !value.isInfinite && isBounded }
            return isBounded
        }
        guard isBounded else { throw .outOfRange }
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

    private mutating func readReading() throws(WireError) -> Reading {
        guard let kind = Reading.Kind(rawValue: try read()) else { throw .malformed }
        let (identity, time) = (try readIdentity(), try readTime())
        return Reading(kind, try readFloat(), identity: identity, time: time)
    }

    private mutating func readSteps() throws(WireError) -> DeviceStepCount {
        guard let kind = DeviceStepCount.Kind(rawValue: try read()) else { throw .malformed }
        var count = DeviceStepCount(
            kind: kind, steps: try read(), startMicroseconds: try read(), endMicroseconds: try read(),
            boot: BootID(rawValue: try read()))
        count.microSteps = try read()
        guard count.microSteps < 1_000_000 else { throw .malformed }
        return count
    }

    private mutating func readActivity() throws(WireError) -> MotionContent {
        let kind = ActivityKind(rawValue: try read())
        let confidence = Int(try read(UInt8.self))
        guard let kind, ActivityConfidence.allCases.indices.contains(confidence) else { throw .malformed }
        return .activity(kind, ActivityConfidence.allCases[confidence], atMicroseconds: try read())
    }

    private mutating func readName() throws(WireError) -> String {
        let count = Int(try read(UInt16.self))
        guard count <= PayloadLimits.maximumTextBytes else { throw .malformed }
        guard let name = String(validating: try readBytes(count), as: UTF8.self) else { throw .notUTF8 }
        return name
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
