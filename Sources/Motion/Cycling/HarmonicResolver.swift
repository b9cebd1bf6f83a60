#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tells whether a period found on a bike is a whole crank revolution or half of one.
///
/// Both feet push, so a frame shakes mostly at twice the crank's rate, and similarity at half a revolution is nearly as
/// high as at a whole one. What differs are weak lines at half the found frequency and at three times that half. The
/// signal is demodulated, locked in phase, at the found frequency and, once what is found there is taken away, at those
/// two and at one, three, five and seven quarters of it, where nothing but noise is. Averages that stay in phase for
/// tens of seconds show a line that no moment shows. What they say is weighed against how often riders turn that fast
/// or half as fast.
struct HarmonicResolver {
    /// Averaging of the weak lines: 1 / (16 s · 25 Hz), and of the locked one: 1 / (1.5 s · 25 Hz).
    private static let gain: Float = 0.002_5
    private static let lockGain: Float = 0.026_7
    /// The first ticks are averaged evenly until an average has the least gain.
    private static let startTicks: Float = 400
    /// What of the locked average is left after an evaluation.
    private static let lockKept: Float = 0.763
    /// Periods over which the found line is averaged, and no fewer or more ticks: 0.8 s and 1.5 s.
    private static let linePeriods: Float = 1.2
    private static let leastLineTicks: Float = 20
    private static let mostLineTicks: Float = 37.5
    /// Averaging of the line at twice the found frequency: 1 / (0.8 s · 25 Hz).
    private static let doubleGain: Float = 0.05
    /// Natural logarithms of odds of 9 to 1, from which on an answer is settled, and of 2 to 1, from which on it
    /// changes.
    private static let settledOdds: Float = 2.2
    private static let changeOdds: Float = 0.7
    /// Evaluations (0.4 s) before an answer is settled, and after which the likelier one is: 4 s and 24 s.
    private static let leastEvaluations = 10
    private static let patientEvaluations = 60
    /// What of it holds for the next bout: the mount is the same, the line that is found may be another.
    private static let mostCarried: Float = 1
    private static let mostEvaluations = 10_000
    private static let mostTicks: Float = 10_000
    private static let weighedEvaluations = 5
    /// The likeness after half a period that says nothing, what more of it says, and evaluations over which it is
    /// averaged.
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
    /// The found line of the last moments.
    private var line = PhasorBank()
    /// What of the last moments is at twice the found frequency: where that is the crank's own, both feet's line.
    private var double = PhasorBank()
    private var ticks: Float = 0
    private var evaluations = 0
    private var evidence = SubharmonicEvidence()
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
    var probability: Float { 1 / (1 + exp(1.6 * (isHalf ? -odds : odds))) }

    /// The energies of the found line and of the one at twice its frequency in the last moments, channel by channel.
    @inline(__always)
    var lineEnergies: SIMD8<Float> { line.energies + double.energies }

    /// Begins with another period, on the same bike.
    mutating func restart() {
        var carried = evidence
        carried.carry(most: Self.mostCarried)
        self = HarmonicResolver()
        evidence = carried
    }

    /// Takes the channels of ten ticks of a found period, given oldest first.
    mutating func push(periodTicks: Float, _ channels: UnsafeBufferPointer<EightFloats>) {
        evaluations = min(evaluations + 1, Self.mostEvaluations)
        let (count, earlierTicks) = (RevolutionThresholds.evaluationTicks, ticks)
        withUnsafeTemporaryAllocation(of: WeighedTick.self, capacity: count) { ticks in
            follow(Phasor(angle: .pi / 2 / max(periodTicks, 2)), ticks, channels)
            let kept = weigh(ticks)
            let ticks = UnsafeBufferPointer(ticks)
            quarter.push(ticks, power: 1, kept: kept)
            half.push(ticks, power: 2, kept: kept)
            threeQuarters.push(ticks, power: 3, kept: kept)
            fiveQuarters.push(ticks, power: 5, kept: kept)
            threeHalves.push(ticks, power: 6, kept: kept)
            sevenQuarters.push(ticks, power: 7, kept: kept)
        }
        ticks = min(ticks + Float(count), Self.mostTicks)
        followLine(periodTicks, earlierTicks: earlierTicks)
        correctPhase()
    }

    /// Follows the found line through ticks, and takes it away from each.
    @inline(__always)
    private mutating func follow(
        _ step: Phasor, _ ticks: UnsafeMutableBufferPointer<WeighedTick>, _ channels: UnsafeBufferPointer<EightFloats>
    ) {
        var (powers, locked, double) = (PhasorPowers(base.normalised), locked, double)
        let steps = PhasorPowers(step)
        for index in ticks.indices {
            powers.turn(by: steps)
            let (now, found) = (channels[index].vector, powers[4])
            locked.push(now, found, max(Self.lockGain, start(index)))
            double.push(now, powers[8], max(Self.doubleGain, start(index)))
            ticks.initializeElement(
                at: index, to: WeighedTick(channels: EightFloats(now - locked.wave(found)), powers: powers))
        }
        (base, self.locked, self.double) = (powers[1], locked, double)
    }

    /// Makes the powers of ticks hold what each weighs at the end of them in an average. What is kept of what was
    /// before.
    @inline(__always)
    private func weigh(_ ticks: UnsafeMutableBufferPointer<WeighedTick>) -> Float {
        var kept: Float = 1
        for index in ticks.indices.reversed() {
            let gain = max(Self.gain, start(index))
            ticks[index].powers = ticks[index].powers.times(gain * kept)
            kept *= 1 - gain
        }
        return kept
    }

    /// The gain of a tick among the first ones, which are averaged evenly: less than that of any average after those.
    @inline(__always)
    private func start(_ index: Int) -> Float { ticks < Self.startTicks ? 1 / (ticks + Float(index + 1)) : 0 }

    /// Averages the found line over somewhat more than its period.
    private mutating func followLine(_ periodTicks: Float, earlierTicks: Float) {
        let newTicks = Float(RevolutionThresholds.evaluationTicks)
        let spanTicks = min(max(Self.linePeriods * periodTicks, Self.leastLineTicks), Self.mostLineTicks)
        let gain = max(newTicks / spanTicks, newTicks / (earlierTicks + newTicks))
        let kept = min(earlierTicks / (earlierTicks + newTicks), Self.lockKept)
        line.approach(locked, since: previous, kept: kept, gain)
    }

    private mutating func correctPhase() {
        let turned = locked.phase(against: previous)
        let back = PhasorPowers(Phasor(angle: -turned / 4))
        base = base.times(Phasor(real: back[1].real, imaginary: -back[1].imaginary))
        quarter.rotate(back[1])
        half.rotate(back[2])
        threeQuarters.rotate(back[3])
        locked.rotate(back[4])
        line.rotate(back[4])
        fiveQuarters.rotate(back[5])
        threeHalves.rotate(back[6])
        sevenQuarters.rotate(back[7])
        double.rotate(back[8])
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

    /// Of a whole revolution the second harmonic is the strongest line, as both feet push: the signal is like itself
    /// after half of it. Of half a revolution it is the crank's fourth, a weak one, and the signal is the opposite of
    /// itself.
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
        line.transfer(&coder)
        double.transfer(&coder)
        coder.code(&ticks, in: 0...Self.mostTicks)
        coder.code(&evaluations, in: 0...Self.mostEvaluations)
        evidence.transfer(&coder)
        coder.code(&likeness, in: -1...1)
        coder.code(&likenessCount, in: 0...Self.mostLikenesses)
        coder.code(&odds)
        coder.code(&isHalf)
    }
}

/// What the energies of lines say about a found period: a whole revolution, or half of one.
///
/// In noise the energy of an average, over that of its neighbours, follows Fisher's F distribution; a line multiplies
/// it. How strong the crank's own line is beside the found one nobody knows: amplitude ratios from 1 to 12 are as
/// likely as each other, what is heard speaks for and against each of them, and the likelihood of half is the mean of
/// theirs. So a line that is not seen where only a strong one would show says no more than that it is no strong one.
struct SubharmonicEvidence {
    /// Degrees of freedom, in pairs: of a line along three axes, and of its two neighbours, which noise that is not
    /// white and a phase that jitters make less certain than they are in theory.
    private static let lineFreedom: Float = 2
    private static let asideFreedom: Float = 4
    /// The found line's energy over the crank's.
    private static let ratios = SIMD8<Float>(1, 2, 4, 8, 16, 32, 64, 128)
    /// The energy of the third harmonic over that of the crank's line.
    private static let thirdShare: Float = 0.15
    /// Earlier evidence gathers over 20 s, a look every 2 s, and is no surer than this; nor is a single look.
    private static let gathering: Float = 0.1
    private static let most: Float = 8

    /// What was gathered of each ratio: natural logarithms of odds.
    private var gathered = EightFloats()
    /// The same with what is heard now.
    private var present = EightFloats()

    /// The natural logarithm of the ratio of the likelihoods of half and of whole.
    var odds: Float {
        var sum: Float = 0
        for lane in 0..<8 { sum += exp(present.vector[lane]) }
        return log(sum / 8)
    }

    /// What is remembered beyond the bout, with no more than so much certainty.
    mutating func carry(most: Float) {
        let gathered = gathered.vector
        self.gathered.vector = gathered.clamped(lowerBound: .init(repeating: -most), upperBound: .init(repeating: most))
        present = self.gathered
    }

    /// Takes a look at the lines' energies.
    mutating func look(found: Float, half: Float, threeHalves: Float, asideHalf: Float, asideThreeHalves: Float) {
        guard asideHalf > 0, asideThreeHalves > 0 else { return }
        var now = SIMD8<Float>.zero
        for lane in 0..<8 {
            let expected = found / Self.ratios[lane]
            now[lane] =
                Self.odds(half / asideHalf, expected: expected / asideHalf)
                + Self.odds(threeHalves / asideThreeHalves, expected: Self.thirdShare * expected / asideThreeHalves)
        }
        let limit = SIMD8<Float>(repeating: Self.most)
        now.clamp(lowerBound: -limit, upperBound: limit)
        present.vector = gathered.vector + now
        gathered.vector = (gathered.vector + now * Self.gathering).clamped(lowerBound: -limit, upperBound: limit)
    }

    /// The logarithm of the odds for one line that is `energy` times as strong as its neighbours, where `expected`
    /// times is expected beside noise.
    private static func odds(_ energy: Float, expected: Float) -> Float {
        let share = lineFreedom / asideFreedom * energy
        let ratio = (1 + share) / (1 + share / (1 + expected))
        return (lineFreedom + asideFreedom) * log(ratio) - lineFreedom * log(1 + expected)
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        gathered.transfer(&coder)
        present.transfer(&coder)
    }
}
