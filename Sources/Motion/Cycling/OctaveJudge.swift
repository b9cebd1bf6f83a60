#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tells whether a period found on a bike is a whole crank revolution or half of one.
///
/// Both feet push, so a frame shakes mostly at twice the crank's rate, and similarity at half a revolution is nearly as high as
/// at a whole one. What differs are weak lines at half the found frequency and at three times that half. The signal is
/// demodulated, locked in phase, at the found frequency and, once what is found there is taken away, at those two and at one,
/// three, five and seven quarters of it, where nothing but noise is. Averages that stay in phase for tens of seconds show a line
/// that no moment shows. What they say is weighed against how often riders turn that fast or half as fast.
struct OctaveJudge {
    /// Averaging of the weak lines: 1 / (16 s · 25 Hz), and of the locked one: 1 / (1.5 s · 25 Hz).
    private static let gain: Float = 0.002_5
    private static let lockGain: Float = 0.026_7
    /// Natural logarithms of odds of 9 to 1, from which on an answer is settled, and of 2 to 1, from which on it changes.
    private static let settledOdds: Float = 2.2
    private static let changeOdds: Float = 0.7
    /// Evaluations (0.4 s) before an answer is settled, and after which the likelier one is: 4 s and 24 s.
    private static let leastEvaluations = 10
    private static let patientEvaluations = 60
    /// What of it holds for the next bout: the mount is the same, the line that is found may be another.
    private static let mostCarried: Float = 1
    private static let mostEvaluations = 10_000
    private static let weighedEvaluations = 5
    /// The likeness after half a period that says nothing, what more of it says, and evaluations over which it is averaged.
    private static let evenLikeness: Float = 0.6
    private static let likenessSlope: Float = 10
    private static let mostLikenesses: Float = 20

    /// The base phasor turns once in four found periods.
    private var base = Phasor(real: 1, imaginary: 0)
    private var locked = PhasorBank()
    private var half = PhasorBank()
    private var threeHalves = PhasorBank()
    private var quarter = PhasorBank()
    private var threeQuarters = PhasorBank()
    private var fiveQuarters = PhasorBank()
    private var sevenQuarters = PhasorBank()
    private var previous = PhasorBank()
    private var ticks: Float = 0
    private var evaluations = 0
    private var evidence = HalfLineEvidence()
    /// How like the signal is to itself after half the found period.
    private var likeness: Float = 0
    private var likenessCount: Float = 0
    /// The natural logarithm of the odds that the found period is half a revolution.
    private(set) var odds: Float = 0
    private(set) var isHalf = false

    /// Whether the lines are to be weighed now: at first, and every 2 s.
    var isDue: Bool { evaluations % Self.weighedEvaluations == 1 }

    /// Whether the answer may be counted by.
    var isSettled: Bool {
        evaluations >= Self.patientEvaluations || evaluations >= Self.leastEvaluations && abs(odds) >= Self.settledOdds
    }

    /// Whether the answer is more than the likelier one.
    var isSure: Bool { evaluations >= Self.leastEvaluations && abs(odds) >= Self.settledOdds }

    /// How likely the answer is right.
    var probability: Float { 1 / (1 + exp(isHalf ? -odds : odds)) }

    /// Begins with another period, on the same bike.
    mutating func restart() {
        var carried = evidence
        carried.carry(most: Self.mostCarried)
        self = OctaveJudge()
        evidence = carried
    }

    /// Takes the channels of ten ticks of a found period, given oldest first.
    mutating func push(periodTicks: Float, _ channels: (_ index: Int) -> SIMD8<Float>) {
        let step = Phasor(angle: .pi / 2 / max(periodTicks, 2))
        base = base.normalised
        evaluations = min(evaluations + 1, Self.mostEvaluations)
        for index in 0..<RevolutionGate.evaluationTicks {
            push(channels(index), step)
        }
        correctPhase()
    }

    @inline(__always)
    private mutating func push(_ channels: SIMD8<Float>, _ step: Phasor) {
        base = base.times(step)
        let start = 1 / (ticks + 1)
        ticks = min(ticks + 1, 10_000)
        let (second, third) = (base.times(base), base.times(base).times(base))
        let found = second.times(second)
        locked.push(channels, found, max(Self.lockGain, start))
        let rest = channels - locked.wave(found)
        let gain = max(Self.gain, start)
        half.push(rest, second, gain)
        threeHalves.push(rest, third.times(third), gain)
        quarter.push(rest, base, gain)
        threeQuarters.push(rest, third, gain)
        fiveQuarters.push(rest, found.times(base), gain)
        sevenQuarters.push(rest, found.times(third), gain)
    }

    private mutating func correctPhase() {
        let turned = locked.phase(against: previous)
        base = base.times(Phasor(angle: turned / 4))
        locked.rotate(Phasor(angle: -turned))
        quarter.rotate(Phasor(angle: -turned * 0.25))
        half.rotate(Phasor(angle: -turned * 0.5))
        threeQuarters.rotate(Phasor(angle: -turned * 0.75))
        fiveQuarters.rotate(Phasor(angle: -turned * 1.25))
        threeHalves.rotate(Phasor(angle: -turned * 1.5))
        sevenQuarters.rotate(Phasor(angle: -turned * 1.75))
        previous = locked
    }

    /// Weighs the lines, with what is known beforehand: the logarithm of the odds for half.
    mutating func weigh(beforehand: Float) {
        evidence.look(
            found: locked.energy, half: half.energy, threeHalves: threeHalves.energy,
            asideHalf: (quarter.energy * threeQuarters.energy).squareRoot(),
            asideThreeHalves: (fiveQuarters.energy * sevenQuarters.energy).squareRoot())
        odds = beforehand + evidence.odds + likenessOdds
        if isHalf ? odds < -changeThreshold : odds > changeThreshold { isHalf.toggle() }
    }

    /// Takes how like the signal is to itself after half the found period.
    mutating func take(likeness now: Float) {
        likenessCount = min(likenessCount + 1, Self.mostLikenesses)
        likeness += (min(max(now, -1), 1) - likeness) / likenessCount
    }

    /// Of a whole revolution the second harmonic is the strongest line, as both feet push: the signal is like itself after
    /// half of it. Of half a revolution it is the crank's fourth, a weak one, and the signal is the opposite of itself.
    private var likenessOdds: Float {
        likenessCount > 0 ? min(max(-Self.likenessSlope * (likeness + Self.evenLikeness), -4), 1) : 0
    }

    private var changeThreshold: Float { evaluations < Self.leastEvaluations ? 0 : Self.changeOdds }

    mutating func transfer(_ coder: inout some StateCoder) {
        base.transfer(&coder)
        locked.transfer(&coder)
        half.transfer(&coder)
        threeHalves.transfer(&coder)
        quarter.transfer(&coder)
        threeQuarters.transfer(&coder)
        fiveQuarters.transfer(&coder)
        sevenQuarters.transfer(&coder)
        previous.transfer(&coder)
        coder.code(&ticks, in: 0...10_000)
        coder.code(&evaluations, in: 0...Self.mostEvaluations)
        evidence.transfer(&coder)
        coder.code(&likeness, in: -1...1)
        coder.code(&likenessCount, in: 0...Self.mostLikenesses)
        coder.code(&odds)
        coder.code(&isHalf)
    }
}
