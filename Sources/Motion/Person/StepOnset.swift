internal import CMotion

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Holds the steps of a bout until a sequential test on the log odds of steps decides for walking (A. Wald, "Sequential
/// Analysis", 1947). A bout that ends before is counted if it is a ``ShortBout`` of steps.
struct StepOnset {
    /// A moment of 0.4 s.
    struct Moment {
        /// The probability of a step.
        let probability: Float
        /// The number of steps, where their probability is above the threshold.
        let steps: Float?
        /// What its evidence weighs.
        let weight: Float
        /// The mean square of the acceleration without gravity, (m/s²)²; nil after the end of a signal.
        let movement: Float?
    }

    /// The number of held moments, 12.8 s. Older steps are added to the oldest moment.
    private static let capacity = 32
    /// Moments after the end of a signal until every bout is decided: a second of smoothed steps, then the decay of all evidence, in
    /// whole backward passes.
    static let mostMomentsToEnd = 3 * StateDecoder.settledCount
    /// The most steps of one held moment: those of an hour without a decision.
    private static let mostHeld: Float = 10_000

    /// The sum of log odds since the bout began, at most the needed one.
    private var evidence: Float = 0
    private(set) var isSure = false
    private var short = ShortBout()
    /// Steps by moment, the oldest first.
    private var held = HeldSteps()
    private var count = 0
    /// The time of walking, 0…1 of ``StateDecoder/Settings/walkSeconds``: moments without counted steps shorten it again.
    private(set) var walked: Float = 0

    /// Whether no bout goes on or is held.
    var isIdle: Bool { evidence == 0 && count == 0 }

    /// Takes the next moment, and passes on the steps that are counted now, with their age in moments.
    /// - Parameter needed: The sum of log odds that decides for walking.
    mutating func take(
        _ moment: Moment, needed: Float, _ settings: StateDecoder.Settings, _ body: (_ age: Int, Float) -> Void
    ) {
        let share = SignalWindow.blockSeconds / max(settings.walkSeconds, SignalWindow.blockSeconds)
        guard let steps = moment.steps else {
            walked = max(walked - share, 0)
            evidence = max(evidence - needed * settings.onsetDecay, 0)
            short.takeStill(moment.movement ?? ShortBout.unknownMovement)
            if evidence == 0, isSure || short.isOver {
                end(needed: needed, body)
            } else if !isSure, count > 0 {
                hold(0)
            }
            return
        }
        if evidence == 0 { end(needed: needed, body) }
        let odds = log(moment.probability / max(1 - moment.probability, .leastNormalMagnitude))
        evidence = min(evidence + moment.weight * min(odds, settings.onsetMostOdds), needed)
        short.takeSteps(evidence: evidence)
        if evidence >= needed { isSure = true }
        guard isSure else {
            walked = max(walked - share, 0)
            hold(steps)
            return
        }
        walked = min(walked + share * Float(count + 1), 1)
        release(body)
        body(0, steps)
    }

    private mutating func end(needed: Float, _ body: (_ age: Int, Float) -> Void) {
        var steps: Float = 0
        for moment in 0..<count { steps += held[moment] }
        if steps >= ShortBout.leastSteps, short.isOfSteps(needed: needed) { release(body) }
        count = 0
        isSure = false
        short.begin()
    }

    private mutating func release(_ body: (_ age: Int, Float) -> Void) {
        for moment in 0..<count { body(count - moment, held[moment]) }
        count = 0
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

    /// Whether restored steps lie in their moments, and are no more than a moment holds.
    var isSound: Bool {
        (0...Self.capacity).contains(count) && (0...1).contains(walked)
            && (0..<count).allSatisfy { (0...Self.mostHeld).contains(held[$0]) }
    }
}

/// A bout that ended before the sequential test decided. A logistic regression decides by its evidence and by the
/// movement before and after it: people stand between bouts of steps, hands do not rest between strokes of work.
struct ShortBout {
    /// Movement that nobody measured, before a signal and after it, (m/s²)²: it tells neither stillness nor work.
    static let unknownMovement: Float = 1
    /// The fewest steps of a short bout: two are a shuffle.
    static let leastSteps: Float = 2.5
    /// The regression of the log odds of steps: the bias, and the weights of the evidence, as a share of the needed
    /// one, and of the logarithms of the movement before and after, root mean squares in m/s². Fitted to undecided
    /// bouts of people, of drawn copies and of simulations, found by weights that have not seen them; the bias is 0.75
    /// lower than the fitted one, because gestures are rarer in the recordings than in life.
    static let bias: Float = -1.5
    static let evidenceWeight: Float = 1.8
    static let beforeWeight: Float = -0.9
    static let afterWeight: Float = -0.75
    /// The least movement is 0.1 m/s², the noise of sensors.
    static let leastSquare: Float = 0.01
    /// The gain of the movement before, a moment of 0.4 s, and the number of moments after.
    static let stillGain: Float = 1.0 / 3
    static let momentsAfter = 3

    /// The highest sum of log odds of steps.
    private var evidence: Float = 0
    /// Mean squares of movement, (m/s²)²: a running mean of moments without steps, that mean before the bout, and the
    /// sum of the moments after it.
    private var still = unknownMovement
    private var before = unknownMovement
    private var after: Float = 0
    private var afterCount = 0

    /// Whether all moments after it have come.
    var isOver: Bool { afterCount >= Self.momentsAfter }

    /// Begins the next bout.
    mutating func begin() {
        (evidence, before) = (0, still)
    }

    mutating func takeSteps(evidence newest: Float) {
        evidence = max(evidence, newest)
        (after, afterCount) = (0, 0)
    }

    /// - Parameter movement: The mean square of a moment without steps.
    mutating func takeStill(_ movement: Float) {
        still += (movement - still) * Self.stillGain
        guard !isOver else { return }
        after += movement
        afterCount += 1
    }

    /// Whether it is more likely steps than not.
    /// - Parameter needed: The sum of log odds that would have decided.
    func isOfSteps(needed: Float) -> Bool {
        func logMovement(_ square: Float) -> Float { 0.5 * log(square + Self.leastSquare) }
        let odds =
            Self.bias + Self.evidenceWeight * evidence / max(needed, 1)
            + Self.beforeWeight * logMovement(before)
            + Self.afterWeight * logMovement(after / Float(max(afterCount, 1)))
        return odds > 0
    }
}

/// The steps of 32 moments, in halves of vectors for the reason given at ``EightFloats``.
private struct HeldSteps: Sendable {
    private var parts = (EightFloats(), EightFloats(), EightFloats(), EightFloats())

    subscript(moment: Int) -> Float {
        get { withUnsafeBytes(of: parts) { $0.load(fromByteOffset: 4 * moment, as: Float.self) } }
        set {
            withUnsafeMutableBytes(of: &parts) { $0.storeBytes(of: newValue, toByteOffset: 4 * moment, as: Float.self) }
        }
    }
}

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The phase advance of a known rhythm in the 0.4 s around a moment: the phase difference between two Gabor transforms
/// at the rhythm's frequency, at both ends of that time (D. Gabor, "Theory of communication", 1946).
enum PhaseAdvance {
    /// The window's standard deviation, in periods, and its bounds in ticks.
    static let periodsOfDeviation: Float = 0.75
    static let leastDeviation: Float = 9
    static let mostDeviation: Float = 27
    /// The half width of the window, in standard deviations: there it has 9 % of its height.
    static let windowWidth: Float = 2.2
    /// The largest relative correction of the expected advance; beyond it the phase is another rhythm's.
    static let mostCorrection: Float = 0.15
    /// The weight of the stride relative to the step.
    static let strideWeight: Float = 0.5

    /// Cycles of a period, in ticks, around a row of the window. For steps the stride contributes, too.
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

    /// The phase advance beyond the expected one, in cycles, times its power, and the power.
    private static func turn(_ window: EvaluatedWindow, row: Int, period: Float) -> (sum: Float, weight: Float) {
        let deviation = min(max(periodsOfDeviation * period, leastDeviation), mostDeviation)
        let reach = Int(windowWidth * deviation)
        let half = SignalWindow.blockTicks / 2
        let first = max(row - half - reach, 0)
        let last = min(row + half + reach, SignalWindow.tickCount - 1)
        let windows = motion_gaussians(
            early: Float(first - row + half), late: Float(first - row - half), deviation: deviation)
        let wave = Phasor(angle: -2 * Float.pi / period)
        var turn: (real: Float, imaginary: Float) = (0, 0)
        withUnsafeMutableBytes(of: &turn) { turn in
            withUnsafePointer(to: windows) {
                motion_gabor(
                    window.rows + first * EvaluatedWindow.rowFloats, last - first + 1, wave.real, wave.imaginary, $0,
                    turn.baseAddress?.assumingMemoryBound(to: Float.self))
            }
        }
        let power = (turn.real * turn.real + turn.imaginary * turn.imaginary).squareRoot()
        return (atan2(turn.imaginary, turn.real) / (2 * Float.pi) * power, power)
    }
}

extension motion_gaussians {
    /// exp(−t²/2σ²) half a block before a moment and half a block after it: the ratio of successive values changes by a
    /// constant factor.
    /// - Parameter early: The first tick after the middle of the early window.
    fileprivate init(early: Float, late: Float, deviation: Float) {
        let precision = 1 / (deviation * deviation)
        func value(_ tick: Float) -> Float { exp(-0.5 * tick * tick * precision) }
        func ratio(_ tick: Float) -> Float { exp(-(tick + 0.5) * precision) }
        self.init(value: (value(early), value(late)), ratio: (ratio(early), ratio(late)), factor: exp(-precision))
    }
}
