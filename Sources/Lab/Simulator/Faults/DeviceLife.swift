internal import Wire

/// The lives of a device that starts anew: each has its own boot, counts its frames from 0 and its uptime from its
/// start.
struct DeviceLife: Sendable {
    private var number: UInt64 = 0
    private var firstSequence: UInt64 = 0
    private var startMicroseconds: Int64 = 0

    /// Gives a frame the identity and the uptime of this life.
    func rename(_ frame: inout Frame) {
        guard number > 0 else { return }
        if case .sequenced(let boot, let sequence) = frame.identity {
            let name = BootID(rawValue: boot.rawValue &+ number &* 0x9e37_79b9_7f4a_7c15)
            frame.identity = .sequenced(boot: name, sequence: sequence &- firstSequence)
        }
        if case .uptime(let microseconds) = frame.time {
            frame.time = .uptime(microseconds: max(microseconds - startMicroseconds, 0))
        }
    }

    /// Begins a new life after a frame, given as it was before any renaming.
    mutating func reboot(after frame: Frame) {
        number += 1
        if case .sequenced(_, let sequence) = frame.identity { firstSequence = sequence &+ 1 }
        guard case .uptime(let microseconds) = frame.time else { return }
        var seconds = 0.0
        if case .uniform(let period) = frame.timing { seconds = Double(period) / 1e9 * Double(frame.sampleCount) }
        startMicroseconds = microseconds + Int64(seconds * 1e6)
    }
}

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
