internal import Wire

/// A device's clock that is off, drifts, and stamps samples unevenly.
struct FaultyClock: Sendable {
    private let plan: FaultPlan
    private var originMicroseconds: Int64?

    /// The least time between two stamps: clocks are read one after the other.
    private static let leastInterval = 1.0

    init(plan: FaultPlan) {
        self.plan = plan
    }

    /// Changes a frame's times as the clock would have stamped them.
    mutating func distort(_ frame: inout Frame, random: inout RandomSource) {
        switch frame.time {
        case .utc(let microseconds): frame.time = .utc(microseconds: shown(microseconds, isUTC: true))
        case .uptime(let microseconds): frame.time = .uptime(microseconds: shown(microseconds, isUTC: false))
        case .absent: break
        }
        if plan.jitterMicroseconds > 0 { jitter(&frame, random: &random) }
    }

    private mutating func shown(_ microseconds: Int64, isUTC: Bool) -> Int64 {
        let origin = originMicroseconds ?? microseconds
        originMicroseconds = origin
        let drift = Double(microseconds - origin) * plan.clockDriftPPM / 1e6
        return microseconds + Int64(drift) + (isUTC ? plan.clockOffsetMicroseconds : 0)
    }

    private func jitter(_ frame: inout Frame, random: inout RandomSource) {
        guard case .uniform(let periodNanoseconds) = frame.timing, frame.sampleCount > 1 else { return }
        let period = Double(periodNanoseconds) / 1000
        frame.intervalsMicroseconds.removeAll(keepingCapacity: true)
        var previous = 0.0
        for index in 1..<frame.sampleCount {
            let stamp = Double(index) * period + plan.jitterMicroseconds * random.deviate()
            let interval = max((stamp - previous).rounded(), Self.leastInterval)
            frame.intervalsMicroseconds.append(
                min(UInt32(min(interval, 1e9)), FrameLimits.maximumIntervalMicroseconds))
            previous += interval
        }
        frame.timing = .intervals
    }
}
