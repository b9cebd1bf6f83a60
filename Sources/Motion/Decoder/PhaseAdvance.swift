#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How far a known rhythm went on in the 0.4 s around a moment, as the phase of the signal tells: the signal times a
/// Gaussian window and a wave of the rhythm, at both ends of that time (D. Gabor, "Theory of communication", 1946).
enum PhaseAdvance {
    /// Cycles of a period, in ticks, around a row of the window; of steps, strides are heard as well.
    static func cycles(_ window: EvaluatedWindow, row: Int, period: Float, isStep: Bool) -> Float {
        let expected = Float(SignalWindow.blockTicks) / period
        var (sum, weights) = turn(window, row: row, period: period)
        if isStep {
            let stride = turn(window, row: row, period: 2 * period)
            sum += 2 * strideWeight * stride.sum
            weights += strideWeight * stride.weight
        }
        let correction = weights > 0 ? sum / weights : 0
        return abs(correction) < mostCorrection * expected ? expected + correction : expected
    }

    /// How much more than expected the phase of a period turns, cycles, times its power; and the power.
    private static func turn(
        _ window: EvaluatedWindow, row: Int, period: Float
    ) -> (sum: Float, weight: Float) {
        let deviation = min(max(periodsOfDeviation * period, leastDeviation), mostDeviation)
        let reach = Int(windowWidth * deviation)
        let half = SignalWindow.blockTicks / 2
        let first = max(row - half - reach, 0)
        let last = min(row + half + reach, SignalWindow.tickCount - 1)
        let step = Phasor(angle: -2 * Float.pi / period)
        var wave = Phasor(real: 1, imaginary: 0)
        var early = Gaussian(at: Float(first - row + half), deviation: deviation)
        var late = Gaussian(at: Float(first - row - half), deviation: deviation)
        var before = (real: SIMD4<Float>.zero, imaginary: SIMD4<Float>.zero)
        var after = before
        for tick in first...last {
            let (real, imaginary) = (window.moved[tick] * wave.real, window.moved[tick] * wave.imaginary)
            before.real += real * early.value
            before.imaginary += imaginary * early.value
            after.real += real * late.value
            after.imaginary += imaginary * late.value
            wave = wave.times(step)
            early.advance()
            late.advance()
        }
        let real = (after.real * before.real + after.imaginary * before.imaginary).sum()
        let imaginary = (after.imaginary * before.real - after.real * before.imaginary).sum()
        let power = (real * real + imaginary * imaginary).squareRoot()
        return (atan2(imaginary, real) / (2 * Float.pi) * power, power)
    }
}

/// exp(−t²/2σ²) at one tick after another: the ratio of neighbours changes by the same factor each time.
private struct Gaussian {
    private(set) var value: Float
    private var ratio: Float
    private let factor: Float

    init(at tick: Float, deviation: Float) {
        let precision = 1 / (deviation * deviation)
        value = exp(-0.5 * tick * tick * precision)
        ratio = exp(-(tick + 0.5) * precision)
        factor = exp(-precision)
    }

    mutating func advance() {
        value *= ratio
        ratio *= factor
    }
}

/// Holds the steps of a bout until it is sure that someone walks: a sequential test (A. Wald, "Sequential Analysis", 1947)
/// on the log odds of steps, moment by moment. Steps of a bout that is given up are not counted.
struct StepOnset {
    /// Moments whose steps are held, each in its own place: 12.8 s. What is older is held with the oldest of them.
    private static let capacity = 32
    /// Steps that are held in one place at most: those of an hour and more that is never sure.
    private static let mostHeld: Float = 10_000

    /// The sum of log odds since the bout began, at most what is needed.
    private var evidence: Float = 0
    private var isSure = false
    /// Steps by moment, the oldest first.
    private var held = HeldSteps()
    private var count = 0
    /// The time of walking, 0…1 of ``StateDecoder/Settings/walkSeconds``: moments without counted steps shorten it again.
    private(set) var walked: Float = 0

    init(walked: Float = 0) {
        self.walked = walked
    }

    /// Takes the next moment, and gives the steps that are now counted: how many moments ago, and how many.
    /// - Parameters:
    ///   - probability: that of a step.
    ///   - steps: how many steps the moment has, where it is likelier than the threshold that it has any.
    ///   - needed: the sum of log odds at which a bout is sure.
    mutating func take(
        _ probability: Float, steps: Float?, needed: Float, _ settings: StateDecoder.Settings,
        _ body: (_ age: Int, Float) -> Void
    ) {
        let share = SignalWindow.blockSeconds / max(settings.walkSeconds, SignalWindow.blockSeconds)
        guard let steps else {
            walked = max(walked - share, 0)
            evidence -= needed * settings.onsetDecay
            if evidence <= 0 { self = StepOnset(walked: walked) } else if !isSure { hold(0) }
            return
        }
        let odds = log(probability / max(1 - probability, .leastNormalMagnitude))
        evidence = min(evidence + min(odds, settings.onsetMostOdds), needed)
        if evidence >= needed { isSure = true }
        guard isSure else {
            walked = max(walked - share, 0)
            hold(steps)
            return
        }
        walked = min(walked + share * Float(count + 1), 1)
        for moment in 0..<count { body(count - moment, held[moment]) }
        count = 0
        body(0, steps)
    }

    private mutating func hold(_ steps: Float) {
        if count == Self.capacity {
            held[1] = min(held[1] + held[0], Self.mostHeld)
            for moment in 1..<count { held[moment - 1] = held[moment] }
            count -= 1
        }
        held[count] = steps
        count += 1
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&evidence)
        coder.code(&isSure)
        coder.code(&walked, in: 0...1)
        coder.code(&count, in: 0...Self.capacity)
        for moment in 0..<count { coder.code(&held[moment], in: 0...Self.mostHeld) }
    }
}

/// The steps of 32 moments: not one vector, for the reason that ``EightFloats`` are not.
private struct HeldSteps: Sendable {
    private var parts = (EightFloats(), EightFloats(), EightFloats(), EightFloats())

    subscript(moment: Int) -> Float {
        get { withUnsafeBytes(of: parts) { $0.load(fromByteOffset: 4 * moment, as: Float.self) } }
        set {
            withUnsafeMutableBytes(of: &parts) { $0.storeBytes(of: newValue, toByteOffset: 4 * moment, as: Float.self) }
        }
    }
}
