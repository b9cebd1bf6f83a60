import Wire

/// The first message of a crank's running count, so that one which it overtook still counts: a broker that was killed
/// sends again what it sent before, and the first two may come the wrong way round.
struct CrankOrigin: Sendable, Equatable {
    private var isOpen = false
    private var boot = BootID(rawValue: 0)
    private var sequence: UInt64 = 0
    private var cumulative: UInt64 = 0
    private var modulus: UInt64 = 0
    private var time: Int64 = 0

    /// Notes a message that was taken. One of another boot begins from 0 by itself: nothing can come before it.
    mutating func note(_ count: RevolutionCount, at instant: Int64, isFirst: Bool) {
        guard case .sequenced(let boot, let sequence) = count.identity else { return isOpen = false }
        if isFirst {
            self = CrankOrigin(count, boot, sequence, at: instant)
        } else if boot != self.boot {
            isOpen = false
        }
    }

    /// Takes a message that is older than the first; answers the way from it to the first, or `nil` if it is none.
    mutating func take(_ count: RevolutionCount, at instant: Int64) -> RevolutionTracker.Step? {
        guard isOpen, case .sequenced(let boot, let sequence) = count.identity, boot == self.boot,
            sequence < self.sequence, count.modulus == modulus, instant <= time,
            let delta = RevolutionTracker.delta(from: count.cumulative, to: cumulative, modulus: modulus),
            RevolutionTracker.isPlausible(delta, from: instant, to: time)
        else { return nil }
        var step = RevolutionTracker.Step(revolutions: Int64(delta), start: instant, end: time)
        let seconds = Float(time - instant) / 1_000_000
        if seconds > 0 { step.rpm = min(Float(delta) * 60 / seconds, RevolutionTracker.maximumRPM) }
        self = CrankOrigin(count, boot, sequence, at: instant)
        return step
    }

    /// No origin.
    init() {}

    private init(_ count: RevolutionCount, _ boot: BootID, _ sequence: UInt64, at instant: Int64) {
        isOpen = true
        (self.boot, self.sequence, time) = (boot, sequence, instant)
        (cumulative, modulus) = (count.cumulative, count.modulus)
    }

    mutating func transfer(_ coder: inout StateCoder) {
        coder.code(&isOpen)
        coder.code(&boot)
        coder.code(&sequence)
        coder.code(&cumulative)
        coder.code(&modulus)
        coder.code(&time)
    }
}
