package import Wire

/// A record of the counter's log: motion, a config, an order to forget, or the end of silences. Records that are counted
/// again in their order make the same run again.
package enum LogRecord: Sendable, Equatable {
    /// A batch of device messages, as ingest published it.
    case motion([UInt8])
    /// The config of a device, as it came; empty where it was taken back.
    case config(DeviceID, [UInt8])
    /// The counts of a device must be forgotten.
    case forget(CountsForget)
    /// Devices have been silent for so long that something follows from it.
    case silence(SilentDevices)

    package struct SilentDevices: Sendable, Equatable {
        /// The time on the counter's clock, in microseconds since 1970.
        package var nowMicroseconds: Int64
        package var devices: [Silent]
    }

    /// A device, and the time since which it is silent, in microseconds since 1970.
    package struct Silent: Sendable, Equatable {
        package var device: DeviceID
        package var since: Int64
    }
}

// MARK: - Bytes

extension LogRecord {
    /// The number of its kind, which is never used again for something else.
    var kind: UInt8 {
        switch self {
        case .motion: 1
        case .config: 2
        case .forget: 3
        case .silence: 4
        }
    }

    /// The content: of motion as it came; of a config the device's id and the JSON; of a silence the time, and of each
    /// device the id and the time.
    var payload: [UInt8] {
        var coder = ByteCoder()
        switch self {
        case .motion(let bytes): return bytes
        case .config(var device, var json):
            coder.code(&device)
            coder.code(blob: &json, maximum: .max)
        case .forget(let order): return order.encoded()
        case .silence(var silence): silence.code(&coder)
        }
        return coder.bytes
    }

    /// Reads a record; `nil` for one of a kind that is not known, or whose content is none of its kind.
    init?(kind: UInt8, payload: UnsafeRawBufferPointer) {
        var coder = ByteCoder(reading: payload)
        switch kind {
        case 1:
            self = .motion(Array(payload))
            return
        case 3:
            guard let order = try? CountsForget(decoding: payload) else { return nil }
            self = .forget(order)
            return
        case 2:
            var (device, json) = (DeviceID(), [UInt8]())
            coder.code(&device)
            coder.code(blob: &json, maximum: payload.count)
            self = .config(device, json)
        case 4:
            var silence = SilentDevices(nowMicroseconds: 0, devices: [])
            silence.code(&coder)
            self = .silence(silence)
        default: return nil
        }
        guard !coder.isInvalid, coder.isAtEnd else { return nil }
    }
}

extension LogRecord.SilentDevices {
    fileprivate mutating func code(_ coder: inout ByteCoder) {
        let empty = LogRecord.Silent(device: DeviceID(), since: 0)
        coder.code(bits: &nowMicroseconds)
        coder.code(array: &devices, maximum: .max, empty: empty) { coder, silent in
            coder.code(&silent.device)
            coder.code(bits: &silent.since)
        }
    }
}

extension MotionRecord {
    /// Whether all times and counts of the record are within what the counter calculates with: the difference of any two
    /// of them, and a thousand times of it, fit into 64 bits. Ingest sends no others. A frame has its samples without its
    /// time, too.
    var isWithinBounds: Bool {
        guard CounterPipeline.arrivals.contains(arrivalMicroseconds) else { return false }
        switch content {
        case .frame: return true
        case .revolutions(let count):
            return count.time.isWithinBounds && count.cumulative <= CountLimits.maximumCount
                && count.modulus <= CountLimits.maximumCount
        case .steps(let count):
            let times = [count.startMicroseconds, count.endMicroseconds]
            return times.allSatisfy(CounterPipeline.arrivals.contains) && count.steps <= CountLimits.maximumCount
        case .recorded(let recorded):
            return (0...CounterPipeline.arrivals.upperBound / 1_000_000).contains(recorded.start)
        case .reading(let reading): return reading.time.isWithinBounds
        case .activity(_, _, let time): return CounterPipeline.arrivals.contains(time)
        case .name, .refusal: return true
        }
    }

    /// The record without its frame's time, where that is one that no clock shows.
    var withoutAbsurdTime: MotionRecord? {
        guard case .frame(var frame) = content, !frame.time.isWithinBounds else { return nil }
        frame.time = .absent
        return MotionRecord(device: device, arrivalMicroseconds: arrivalMicroseconds, content: .frame(frame))
    }
}

extension FrameTime {
    fileprivate var isWithinBounds: Bool {
        switch self {
        case .utc(let microseconds), .uptime(let microseconds): CounterPipeline.arrivals.contains(microseconds)
        case .absent: true
        }
    }
}
