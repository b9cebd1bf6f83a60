package import Wire

/// A bad device and a bad line: takes the frames of one device and gives back what arrives, and in which order.
package struct FaultInjector: Sendable {
    /// The faults and their probabilities.
    package let plan: FaultPlan
    /// The faults so far.
    package private(set) var ledger = FaultLedger()

    private var random: RandomSource
    private let clock: FaultyClock
    private var life = DeviceLife()
    private var held: Frame?

    /// An injector for one device; injectors of one seed differ by their stream.
    package init(plan: FaultPlan, seed: UInt64, stream: UInt64) {
        self.plan = plan
        random = RandomSource(seed: seed ^ 0xfa17_0000_0000_0000, stream: stream)
        clock = FaultyClock(plan: plan)
    }

    /// Takes a frame and what truly happened in it.
    ///
    /// - Returns: the frames to send now, in order: none, one or several.
    package mutating func inject(_ frame: Frame, truth: MotionTruth) -> [Frame] {
        ledger.offered += 1
        var changed = frame
        life.rename(&changed)
        clock.distort(&changed, random: &random)
        if random.chance(plan.rebootProbability) {
            ledger.reboots += 1
            ledger.lose(changed.identity, truth)
            life.reboot(after: frame)
            return []
        }
        if random.chance(plan.lossProbability) {
            ledger.lose(changed.identity, truth)
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
}

/// The faults between a device's sensor and the broker, and their probabilities.
package struct FaultPlan: Sendable, Hashable {
    /// Standard deviation of the error of each sample's time stamp, in microseconds; 0 keeps the even spacing.
    package var jitterMicroseconds: Double
    /// The probability that a frame is lost, `0...1`.
    package var lossProbability: Double
    /// The probability that a frame is sent twice, `0...1`.
    package var duplicateProbability: Double
    /// The probability that a frame is overtaken by the one after it, `0...1`.
    package var reorderProbability: Double
    /// The probability that the device starts anew after a frame, `0...1`; the frame that was being filled is lost with
    /// it.
    package var rebootProbability: Double
    /// By how much the device's clock is ahead, in microseconds.
    package var clockOffsetMicroseconds: Int64

    /// A plan from its parts; the defaults are no faults at all.
    package init(
        jitterMicroseconds: Double = 0, lossProbability: Double = 0, duplicateProbability: Double = 0,
        reorderProbability: Double = 0, rebootProbability: Double = 0, clockOffsetMicroseconds: Int64 = 0
    ) {
        self.jitterMicroseconds = jitterMicroseconds
        self.lossProbability = lossProbability
        self.duplicateProbability = duplicateProbability
        self.reorderProbability = reorderProbability
        self.rebootProbability = rebootProbability
        self.clockOffsetMicroseconds = clockOffsetMicroseconds
    }
}

/// The work of a fault injector: every frame that came in is accounted for.
///
/// `offered + duplicated == sent + lost + held` at every moment, where `held` is 0 or 1, and 0 after `flush()`.
package struct FaultLedger: Sendable, Hashable {
    /// Frames that came in.
    package internal(set) var offered: UInt64 = 0
    /// Frames that went out, copies included.
    package internal(set) var sent: UInt64 = 0
    /// Frames that never went out.
    package internal(set) var lost: UInt64 = 0
    /// Copies beyond the first.
    package internal(set) var duplicated: UInt64 = 0
    /// Frames that went out after the one that followed them.
    package internal(set) var reordered: UInt64 = 0
    /// Starts of the device beyond the first.
    package internal(set) var reboots: UInt64 = 0
    /// Frames held back at the moment.
    package internal(set) var held: UInt64 = 0
    /// The truth in the frames that were lost.
    package internal(set) var lostTruth = MotionTruth()
    /// The frames that were lost, by the identity they would have had; the first `maximumNamedLosses`.
    package internal(set) var lostFrames: [FrameIdentity] = []

    /// The most lost frames that are named.
    package static let maximumNamedLosses = 65_536

    /// Nothing happened yet.
    package init() {}

    mutating func lose(_ identity: FrameIdentity, _ truth: MotionTruth) {
        lost += 1
        lostTruth = lostTruth + truth
        if lostFrames.count < Self.maximumNamedLosses { lostFrames.append(identity) }
    }
}

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

/// A device's clock that is off and stamps samples unevenly.
struct FaultyClock: Sendable {
    private let plan: FaultPlan

    /// The least time between two stamps: clocks are read one after the other.
    private static let leastInterval = 1.0

    init(plan: FaultPlan) {
        self.plan = plan
    }

    /// Changes a frame's times as the clock would have stamped them.
    func distort(_ frame: inout Frame, random: inout RandomSource) {
        switch frame.time {
        case .utc(let microseconds): frame.time = .utc(microseconds: microseconds + plan.clockOffsetMicroseconds)
        case .uptime, .absent: break
        }
        if plan.jitterMicroseconds > 0 { jitter(&frame, random: &random) }
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
