#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tells whether a period is a whole crank revolution or half of one.
///
/// Both feet push, so a frame shakes mostly at twice the crank's rate, and similarity at half a revolution is nearly as high as
/// at a whole one. What differs is a weak line at half the found frequency. The signal is demodulated, locked in phase, at the
/// found frequency and, once what is found there is taken away, at half of it and at one, three and five quarters of it, where
/// nothing but noise is: a line at one half that stands well above that noise speaks for a period twice as long. Noise that
/// falls with frequency (a frame that sways, felt by a gyroscope) is met by the mean of its neighbours below and above.
struct HarmonicTest {
    /// Averaging of the weak lines: 1 / (6 s · 25 Hz), and of the locked one: 1 / (1.5 s · 25 Hz).
    private static let gain: Float = 0.006_67
    private static let lockGain: Float = 0.026_7
    /// The line must be this many times as strong as the noise beside it, and this share of the locked one.
    private static let noiseRatio: Float = 4
    /// A line that was found is believed until it is hardly above the noise: a rider's legs do not become alike, but what
    /// the frame shows of their difference comes and goes.
    private static let keptRatio: Float = 2
    private static let leastShare: Float = 0.004
    /// The share of the locked line that the weak one has when it is a fifth as strong: the weakest that is looked for.
    private static let visibleShare: Float = 0.04
    /// A found period under this many ticks, over 115 rpm, is the likelier half of one the shorter it is.
    private static let likelyTicks: Float = 13
    /// Twice a found period over this many ticks is slower than 40 rpm.
    static let slowTicks: Float = 18.75
    /// Evaluations (0.4 s) that must agree for a first answer, and against one that was given: longer than the weak lines
    /// are averaged, so that one chance of the noise does not change it.
    private static let firstCount = 5
    private static let changeCount = 12
    /// An answer is meant after this many ticks (6 s) and found periods.
    private static let matureTicks: Float = 150
    private static let maturePeriods: Float = 8
    /// The same while a line seems to grow: 20 s.
    private static let patientTicks: Float = 500
    /// A line this many times as strong as the noise may still become one.
    private static let leaningRatio: Float = 2

    /// The base phasor turns once in four found periods.
    private var base = Phasor(real: 1, imaginary: 0)
    private var step = Phasor(real: 1, imaginary: 0)
    private var locked = PhasorBank()
    private var half = PhasorBank()
    private var lowerNoise = PhasorBank()
    private var noise = PhasorBank()
    private var upperNoise = PhasorBank()
    private var previous = PhasorBank()
    private var ticks: Float = 0
    private var evaluations = 0
    private var votes = 0
    private(set) var hasHalfLine = false
    /// Whether a line would show above the noise, so that its absence means something.
    private(set) var wouldShow = false
    private var isLeaning = false

    /// Whether the lines have been averaged long enough to tell, with a found period in ticks.
    func isMature(periodTicks: Float) -> Bool {
        ticks >= (isLeaning ? Self.patientTicks : max(Self.matureTicks, Self.maturePeriods * periodTicks))
    }

    mutating func reset() {
        self = HarmonicTest()
    }

    /// Takes up to eight channels of one tick.
    @inline(__always)
    mutating func push(_ channels: SIMD8<Float>) {
        base = base.times(step)
        let second = base.times(base)
        let start = 1 / (ticks + 1)
        let found = second.times(second)
        locked.push(channels, found, max(Self.lockGain, start))
        let rest = channels - locked.wave(found)
        half.push(rest, second, max(Self.gain, start))
        lowerNoise.push(rest, base, max(Self.gain, start))
        noise.push(rest, second.times(base), max(Self.gain, start))
        upperNoise.push(rest, found.times(base), max(Self.gain, start))
        ticks = min(ticks + 1, 10_000)
    }

    /// Corrects the phase, follows the period (ticks) and weighs the lines.
    mutating func evaluate(periodTicks: Float) {
        let angle = Float.pi / 2 / max(periodTicks, 2)
        step = Phasor(angle: angle)
        base = base.normalised
        correctPhase()
        evaluations = min(evaluations + 1, 10_000)
        guard evaluations > 5 else { return }
        let aside = max(
            (lowerNoise.energy + noise.energy + upperNoise.energy) / 3, (lowerNoise.energy * noise.energy).squareRoot())
        let isLine = half.energy > Self.leastShare * locked.energy
        let doubt = Self.doubt(periodTicks: periodTicks)
        wouldShow = Self.noiseRatio * doubt * aside < Self.visibleShare * locked.energy
        isLeaning = isLine && !hasHalfLine && half.energy > Self.leaningRatio * doubt * aside
        let ratio = hasHalfLine ? Self.keptRatio : Self.noiseRatio
        let isPresent = (isLine || hasHalfLine) && half.energy > ratio * doubt * aside
        if isPresent != hasHalfLine {
            votes += 1
            if votes >= (hasHalfLine || isMature(periodTicks: periodTicks) ? Self.changeCount : Self.firstCount) {
                hasHalfLine = isPresent
                votes = 0
            }
        } else {
            votes = max(votes - 1, 0)
        }
    }

    /// What the line must be stronger by, as riders turn 40 to 120 rpm: less where the found rate is too fast for a whole
    /// revolution, more where half of it would be too slow.
    private static func doubt(periodTicks: Float) -> Float {
        let slowness = max(1, periodTicks / slowTicks)
        return min(1, periodTicks / likelyTicks) * slowness * slowness.squareRoot()
    }

    private mutating func correctPhase() {
        let turned = locked.phase(against: previous)
        base = base.times(Phasor(angle: turned / 4))
        locked.rotate(Phasor(angle: -turned))
        lowerNoise.rotate(Phasor(angle: -turned * 0.25))
        noise.rotate(Phasor(angle: -turned * 0.75))
        upperNoise.rotate(Phasor(angle: -turned * 1.25))
        half.rotate(Phasor(angle: -turned / 2))
        previous = locked
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        base.transfer(&coder)
        step.transfer(&coder)
        locked.transfer(&coder)
        half.transfer(&coder)
        lowerNoise.transfer(&coder)
        noise.transfer(&coder)
        upperNoise.transfer(&coder)
        previous.transfer(&coder)
        coder.code(&ticks)
        coder.code(&evaluations, in: 0...10_000)
        coder.code(&votes, in: 0...Self.changeCount)
        coder.code(&hasHalfLine)
        coder.code(&wouldShow)
        coder.code(&isLeaning)
    }
}
