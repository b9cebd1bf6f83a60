internal import CMotion

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tells whether a period found on a bike is a whole crank revolution or half of one.
///
/// Both feet push, so a frame shakes mostly at the crank's second harmonic, and the autocorrelation at half a revolution is
/// nearly as high as at a whole one. If the found period is half a revolution, there are weak lines at 1/2 and 3/2 of its
/// frequency. The signal is demodulated in phase at the found frequency and, after that line is subtracted, at 1/2 and 3/2 of
/// it, and at 1/4, 3/4, 5/4 and 7/4, where there is only noise. Coherent averages over tens of seconds show lines far below
/// the noise. Their likelihood ratio is combined with the prior of the two cadences.
struct HarmonicResolver {
    /// Gain a tick of the weak lines, 1 / (16 s · 25 Hz), and of the found one, 1 / (1.5 s · 25 Hz).
    private static let gain: Float = 0.002_5
    private static let lockGain: Float = 0.026_7
    /// Ticks that are averaged evenly at first.
    private static let startTicks: Float = 400
    /// The share of the found line's average that is left after an evaluation.
    private static let lockKept: Float = 0.763
    /// The span of the short average of the found line, in periods, and its bounds in ticks: 0.8 s and 1.5 s.
    private static let linePeriods: Float = 1.2
    private static let leastLineTicks: Float = 20
    private static let mostLineTicks: Float = 37.5
    /// Gain a tick of the line at twice the found frequency: 1 / (0.8 s · 25 Hz).
    private static let doubleGain: Float = 0.05
    /// Log odds that settle the answer (9 to 1), and that change it (2 to 1).
    private static let settledOdds: Float = 2.2
    private static let changeOdds: Float = 0.7
    /// The fewest evaluations (0.4 s) for an answer, and those after which the likelier one is taken: 4 s and 24 s.
    private static let leastEvaluations = 10
    private static let patientEvaluations = 60
    /// The largest log odds that the next bout begins with: the mount is the same, but another line may be found.
    private static let mostCarried: Float = 1
    private static let mostEvaluations = 10_000
    private static let mostTicks: Float = 10_000
    private static let weighedEvaluations = 5
    /// The half-period share at which the odds are even is −0.6; log odds a unit of the share; evaluations it is
    /// averaged over.
    private static let evenHalfShare: Float = -0.6
    private static let halfShareSlope: Float = 10
    private static let mostHalfShares: Float = 20

    /// The phase reference: it turns once in four found periods.
    private var base = Phasor(real: 1, imaginary: 0)
    private var banks = Banks()
    private var previous = PhasorBank()
    /// The found line, averaged over about a period.
    private var line = PhasorBank()
    private var ticks: Float = 0
    private var evaluations = 0
    private var evidence = SubharmonicEvidence()
    /// The mean similarity at half the found period, as a share of that at the whole one.
    private var halfShare: Float = 0
    private var halfShareCount: Float = 0
    /// The log odds that the found period is half a revolution.
    private(set) var odds: Float = 0
    private(set) var isHalf = false

    /// Whether the lines are compared now: at first, and every 2 s.
    var isDue: Bool { evaluations % Self.weighedEvaluations == 1 }

    /// Whether revolutions are counted by the answer.
    var isSettled: Bool {
        evaluations >= Self.patientEvaluations || evaluations >= Self.leastEvaluations && abs(odds) >= Self.settledOdds
    }

    /// Whether the odds, and not only patience, settled the answer.
    var isSure: Bool { evaluations >= Self.leastEvaluations && abs(odds) >= Self.settledOdds }

    /// The probability, 0…1, that the answer is right.
    var probability: Float { 1 / (1 + exp(1.6 * (isHalf ? -odds : odds))) }

    /// The energies of the found line and of the one at twice its frequency, by channel.
    @inline(__always)
    var lineEnergies: SIMD8<Float> { line.energies + banks.double.energies }

    /// Begins another period on the same bike.
    mutating func restart() {
        var carried = evidence
        carried.carry(most: Self.mostCarried)
        self = HarmonicResolver()
        evidence = carried
    }

    /// Takes ten ticks of up to two sensors, of which the second is scaled.
    /// - Parameter periodTicks: The found period.
    mutating func push(periodTicks: Float, _ block: BikeWindow.Ticks, secondScale: Float) {
        evaluations = min(evaluations + 1, Self.mostEvaluations)
        let (count, earlierTicks) = (RevolutionThresholds.evaluationTicks, ticks)
        let (base, step) = (base.normalised, Phasor(angle: .pi / 2 / max(periodTicks, 2)))
        var turn = motion_turn()
        turn.base = (base.real, base.imaginary)
        turn.step = (step.real, step.imaginary)
        turn.first_tick = ticks < Self.startTicks ? ticks + 1 : .infinity
        (turn.lock_gain, turn.twice_gain, turn.weak_gain) = (Self.lockGain, Self.doubleGain, Self.gain)
        withUnsafePointer(to: turn) { turn in
            withUnsafeMutableBytes(of: &banks) { banks in
                withUnsafeMutableBytes(of: &self.base) { phasor in
                    motion_harmonics(
                        block.first, block.second, secondScale, turn,
                        banks.baseAddress?.assumingMemoryBound(to: motion_banks.self),
                        phasor.assumingMemoryBound(to: Float.self).baseAddress)
                }
            }
        }
        ticks = min(ticks + Float(count), Self.mostTicks)
        followLine(periodTicks, earlierTicks: earlierTicks)
        correctPhase()
    }

    /// Updates the short average of the found line.
    private mutating func followLine(_ periodTicks: Float, earlierTicks: Float) {
        let newTicks = Float(RevolutionThresholds.evaluationTicks)
        let spanTicks = min(max(Self.linePeriods * periodTicks, Self.leastLineTicks), Self.mostLineTicks)
        let gain = max(newTicks / spanTicks, newTicks / (earlierTicks + newTicks))
        let kept = min(earlierTicks / (earlierTicks + newTicks), Self.lockKept)
        line.approach(banks.locked, since: previous, kept: kept, gain)
    }

    private mutating func correctPhase() {
        let turned = banks.locked.phase(against: previous)
        let back = Phasor(angle: -turned / 4)
        base = base.times(Phasor(real: back.real, imaginary: -back.imaginary))
        withUnsafeMutableBytes(of: &banks) { banks in
            withUnsafeMutableBytes(of: &line) { line in
                motion_rotate(
                    banks.baseAddress?.assumingMemoryBound(to: motion_banks.self),
                    line.baseAddress?.assumingMemoryBound(to: Float.self), back.real, back.imaginary)
            }
        }
        previous = banks.locked
    }

    /// Compares the lines.
    /// - Parameters:
    ///   - beforehand: The prior log odds for half a revolution.
    ///   - periodTicks: The found period.
    mutating func weigh(beforehand: Float, periodTicks: Float) {
        let rateHz = Float(Tick.rateHz) / max(periodTicks, 1)
        // The filter takes more of the slower neighbour: noise is what it would be at the line.
        func noise(_ slower: Float, _ quicker: Float, at line: Float) -> Float {
            let sides = BandFilter.passed(slower * rateHz) * BandFilter.passed(quicker * rateHz)
            return BandFilter.passed(line * rateHz) / sides.squareRoot()
        }
        evidence.take(
            found: banks.locked.energy, half: banks.half.energy, threeHalves: banks.threeHalves.energy,
            asideHalf: (banks.quarter.energy * banks.threeQuarters.energy).squareRoot() * noise(0.25, 0.75, at: 0.5),
            asideThreeHalves: (banks.fiveQuarters.energy * banks.sevenQuarters.energy).squareRoot()
                * noise(1.25, 1.75, at: 1.5))
        odds = beforehand + evidence.odds + halfShareOdds
        if isHalf ? odds < -changeThreshold : odds > changeThreshold { isHalf.toggle() }
    }

    /// Takes the similarity at half the found period, as a share of that at the whole one.
    mutating func take(halfPeriodShare now: Float) {
        halfShareCount = min(halfShareCount + 1, Self.mostHalfShares)
        halfShare += (min(max(now, -1), 1) - halfShare) / halfShareCount
    }

    /// The second harmonic of a whole revolution is its strongest line, because both feet push: the similarity at half of it
    /// is high. The second harmonic of half a revolution is the crank's weak fourth: there the similarity is negative.
    private var halfShareOdds: Float {
        halfShareCount > 0 ? min(max(Self.halfShareSlope * (Self.evenHalfShare - halfShare), -4), 1) : 0
    }

    private var changeThreshold: Float { evaluations < Self.leastEvaluations ? 0 : Self.changeOdds }
}

/// The found line, the one at twice its frequency (that of both feet, where the found one is the crank's), and the weak
/// lines and their neighbours, in the order of `motion_banks`.
private struct Banks {
    var locked = PhasorBank()
    var double = PhasorBank()
    var quarter = PhasorBank()
    var half = PhasorBank()
    var threeQuarters = PhasorBank()
    var fiveQuarters = PhasorBank()
    var threeHalves = PhasorBank()
    var sevenQuarters = PhasorBank()
}

/// The likelihood ratio of half a revolution against a whole one, from the energies of lines.
///
/// In noise the ratio of a line's energy to that of its neighbours follows Fisher's F distribution; a line multiplies
/// it. The amplitude of the crank's own line relative to the found one is unknown: ratios of 1 to 1/12 are equally
/// likely. The likelihood of half is the mean over them, so that a missing line is evidence against strong ones alone.
struct SubharmonicEvidence {
    /// Half the degrees of freedom of a line along three axes and of its two neighbours, lower than in theory because
    /// noise is coloured and phases jitter.
    private static let lineFreedom: Float = 2
    private static let asideFreedom: Float = 4
    /// The energy of the found line over that of the crank's.
    private static let ratios = SIMD8<Float>(1, 2, 4, 8, 16, 32, 64, 128)
    /// The energy of the third harmonic over that of the crank's line.
    private static let thirdShare: Float = 0.15
    /// The gain of the sum of log odds, one in ten comparisons of 2 s, and the limit of it and of one comparison.
    private static let gathering: Float = 0.1
    private static let most: Float = 8

    /// The log odds by ratio from earlier comparisons.
    private var gathered = EightFloats()
    /// The same with the newest comparison.
    private var present = EightFloats()

    /// The log likelihood ratio of half against whole.
    var odds: Float {
        var sum: Float = 0
        for lane in 0..<8 { sum += exp(present.vector[lane]) }
        return log(sum / 8)
    }

    /// Keeps log odds of at most `most` for the next bout.
    mutating func carry(most: Float) {
        let gathered = gathered.vector
        self.gathered.vector = gathered.clamped(lowerBound: .init(repeating: -most), upperBound: .init(repeating: most))
        present = self.gathered
    }

    /// Compares the energies of lines.
    mutating func take(found: Float, half: Float, threeHalves: Float, asideHalf: Float, asideThreeHalves: Float) {
        guard asideHalf > 0, asideThreeHalves > 0 else { return }
        let expected = found / Self.ratios
        var now =
            Self.odds(half / asideHalf, expected: expected / asideHalf)
            + Self.odds(threeHalves / asideThreeHalves, expected: Self.thirdShare * expected / asideThreeHalves)
        let limit = SIMD8<Float>(repeating: Self.most)
        now.clamp(lowerBound: -limit, upperBound: limit)
        present.vector = gathered.vector + now
        gathered.vector = (gathered.vector + now * Self.gathering).clamped(lowerBound: -limit, upperBound: limit)
    }

    /// The log odds of one line, from its energy over that of its neighbours, and the expected ratio to the noise.
    private static func odds(_ energy: Float, expected: SIMD8<Float>) -> SIMD8<Float> {
        let share = lineFreedom / asideFreedom * energy
        let ratios = (1 + share) / (1 + share / (1 + expected))
        return (lineFreedom + asideFreedom) * ratios.logarithms - lineFreedom * (1 + expected).logarithms
    }
}
