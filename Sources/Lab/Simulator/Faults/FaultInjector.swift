public import Wire

/// A bad device and a bad line: takes the frames of one device and gives back what arrives, and in which order.
public struct FaultInjector: Sendable {
    /// What goes wrong, and how often.
    public let plan: FaultPlan
    /// What has gone wrong so far.
    public private(set) var ledger = FaultLedger()

    private var random: RandomSource
    private var clock: FaultyClock
    private var life = DeviceLife()
    private var held: Frame?
    private var burstRemaining = 0

    /// An injector for one device; the stream tells injectors of one seed apart.
    public init(plan: FaultPlan, seed: UInt64, stream: UInt64) {
        self.plan = plan
        random = RandomSource(seed: seed ^ 0xfa17_0000_0000_0000, stream: stream)
        clock = FaultyClock(plan: plan)
    }

    /// Takes a frame and what truly happened in it.
    ///
    /// - Returns: the frames to send now, in order: none, one or several.
    public mutating func inject(_ frame: Frame, truth: MotionTruth) -> [Frame] {
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
        if isLost() {
            ledger.lose(changed.identity, truth)
            return []
        }
        return send(changed)
    }

    /// Gives back the frame that was held to be overtaken, if there is one.
    public mutating func flush() -> [Frame] {
        guard let frame = held else { return [] }
        held = nil
        ledger.held = 0
        ledger.sent += 1
        return [frame]
    }

    private mutating func isLost() -> Bool {
        if burstRemaining > 0 {
            burstRemaining -= 1
            return true
        }
        guard random.chance(plan.lossProbability) else { return false }
        let continues = 1 - 1 / max(plan.meanLossBurst, 1)
        while burstRemaining < 1_000, random.chance(continues) { burstRemaining += 1 }
        return true
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
