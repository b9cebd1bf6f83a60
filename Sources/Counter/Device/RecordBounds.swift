import Wire

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
