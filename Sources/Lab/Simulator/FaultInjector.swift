package import Wire

/// A bad device and a bad line: takes the frames of one device and gives back what arrives, and in which order.
package struct FaultInjector: Sendable {
    private let plan: FaultPlan
    /// The faults so far.
    package private(set) var ledger = FaultLedger()

    private var random: RandomSource
    private var life = DeviceLife()
    private var held: Frame?

    /// An injector for one device; injectors of one seed differ by their stream.
    package init(plan: FaultPlan, seed: UInt64, stream: UInt64) {
        self.plan = plan
        random = RandomSource(seed: seed ^ 0xfa17_0000_0000_0000, stream: stream)
    }

    /// Takes a frame and what truly happened in it.
    ///
    /// - Returns: the frames to send now, in order: none, one or several.
    package mutating func inject(_ frame: Frame, truth: MotionTruth) -> [Frame] {
        ledger.offered += 1
        var changed = frame
        life.rename(&changed)
        distort(&changed)
        if random.chance(plan.rebootProbability) {
            ledger.reboots += 1
            ledger.lose(truth)
            life.reboot(after: frame)
            return []
        }
        if random.chance(plan.lossProbability) {
            ledger.lose(truth)
            return []
        }
        return send(changed)
    }

    /// Gives back the frame that was held to be overtaken, if there is one.
    package mutating func flush() -> [Frame] {
        guard let frame = held else { return [] }
        held = nil
        ledger.held = 0
        ledger.sent += 1
        return [frame]
    }

    private mutating func send(_ frame: Frame) -> [Frame] {
        if held == nil, random.chance(plan.reorderProbability) {
            held = frame
            ledger.held = 1
            return []
        }
        var frames = [frame]
        if random.chance(plan.duplicateProbability) {
            frames.append(frame)
            ledger.duplicated += 1
        }
        ledger.sent += UInt64(frames.count)
        if held != nil { ledger.reordered += 1 }
        return frames + flush()
    }

    /// Changes a frame's times as a clock stamps them that is off and uneven.
    private mutating func distort(_ frame: inout Frame) {
        if case .utc(let microseconds) = frame.time {
            frame.time = .utc(microseconds: microseconds + plan.clockOffsetMicroseconds)
        }
        guard plan.jitterMicroseconds > 0, case .uniform(let periodNanoseconds) = frame.timing, frame.sampleCount > 1
        else { return }
        let period = Double(periodNanoseconds) / 1000
        frame.intervalsMicroseconds.removeAll(keepingCapacity: true)
        var previous = 0.0
        for index in 1..<frame.sampleCount {
            let stamp = Double(index) * period + plan.jitterMicroseconds * random.deviate()
            // Clocks are read one after the other: there is at least a microsecond between two stamps.
            let interval = max((stamp - previous).rounded(), 1)
            frame.intervalsMicroseconds.append(
                min(UInt32(min(interval, 1e9)), FrameLimits.maximumIntervalMicroseconds))
            previous += interval
        }
        frame.timing = .intervals
    }
}

/// The faults between a device's sensor and the broker, and their probabilities.
package struct FaultPlan: Sendable, Hashable {
    /// Standard deviation of the error of each sample's time stamp, in microseconds; 0 keeps the even spacing.
    package var jitterMicroseconds = 0.0
    /// The probability that a frame is lost, `0...1`.
    package var lossProbability = 0.0
    /// The probability that a frame is sent twice, `0...1`.
    package var duplicateProbability = 0.0
    /// The probability that a frame is overtaken by the one after it, `0...1`.
    package var reorderProbability = 0.0
    /// The probability that the device starts anew after a frame, `0...1`; the frame that was being filled is lost with
    /// it.
    package var rebootProbability = 0.0
    /// By how much the device's clock is ahead, in microseconds.
    package var clockOffsetMicroseconds: Int64 = 0

    /// No faults at all.
    package static let none = FaultPlan()
}

/// The work of a fault injector: every frame that came in is accounted for.
///
/// `offered + duplicated == sent + lost + held` at every moment, where `held` is 0 or 1, and 0 after `flush()`.
package struct FaultLedger: Sendable, Hashable {
    /// Frames that came in.
    package fileprivate(set) var offered: UInt64 = 0
    /// Frames that went out, copies included.
    package internal(set) var sent: UInt64 = 0
    /// Frames that never went out.
    package fileprivate(set) var lost: UInt64 = 0
    /// Copies beyond the first.
    package fileprivate(set) var duplicated: UInt64 = 0
    /// Frames that went out after the one that followed them.
    package fileprivate(set) var reordered: UInt64 = 0
    /// Starts of the device beyond the first.
    package fileprivate(set) var reboots: UInt64 = 0
    /// Frames held back at the moment.
    package fileprivate(set) var held: UInt64 = 0
    /// The truth in the frames that were lost.
    package fileprivate(set) var lostTruth = MotionTruth()

    fileprivate mutating func lose(_ truth: MotionTruth) {
        lost += 1
        lostTruth = lostTruth + truth
    }
}

/// The lives of a device that starts anew: each has its own boot, counts its frames from 0 and its uptime from its
/// start.
private struct DeviceLife {
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
        guard case .uptime(let microseconds) = frame.time, case .uniform(let period) = frame.timing else { return }
        startMicroseconds = microseconds + Int64(Double(period) / 1e9 * Double(frame.sampleCount) * 1e6)
    }
}
