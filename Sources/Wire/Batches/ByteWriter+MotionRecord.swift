/// The kinds of record in a motion batch.
enum MotionRecordKind: UInt8 {
    case frame = 1
    case revolutions = 2
    case cadence = 3
    case steps = 4
    case refusal = 5
    /// A frame with pressures behind it; only in batches of version 2.
    case frameWithPressures = 6
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
        case .steps(let count): write(count)
        case .refusal(let error, let count):
            write(MotionRecordKind.refusal.rawValue)
            write(error.rawValue)
            write(count)
        }
    }

    private mutating func write(_ frame: Frame) {
        let hasPressures = !frame.pressuresHectopascals.isEmpty
        write((hasPressures ? MotionRecordKind.frameWithPressures : .frame).rawValue)
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
        write(UInt32(truncatingIfNeeded: frame.values.count))
        write(frame.values)
        guard hasPressures else { return }
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
