#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Holds the steps of a bout until it is sure that someone walks: a sequential test (A. Wald, "Sequential Analysis", 1947)
/// on the log odds of steps, moment by moment. What ends before that is counted if it is a ``ShortBout`` of steps.
struct StepOnset {
    /// A moment of 0.4 s.
    struct Moment {
        /// The probability of a step.
        let probability: Float
        /// How many steps it has, where it is likelier than the threshold that it has any.
        let steps: Float?
        /// The mean square of the acceleration without gravity, (m/s²)².
        let movement: Float
    }

    /// Moments whose steps are held, each in its own place: 12.8 s. What is older is held with the oldest of them.
    private static let capacity = 32
    /// Steps that are held in one place at most: those of an hour and more that is never sure.
    private static let mostHeld: Float = 10_000

    /// The sum of log odds since the bout began, at most what is needed.
    private var evidence: Float = 0
    private var isSure = false
    private var short = ShortBout()
    /// Steps by moment, the oldest first.
    private var held = HeldSteps()
    private var count = 0
    /// The time of walking, 0…1 of ``StateDecoder/Settings/walkSeconds``: moments without counted steps shorten it again.
    private(set) var walked: Float = 0

    /// Takes the next moment, and gives the steps that are now counted: how many moments ago, and how many.
    /// - Parameter needed: The sum of log odds at which a bout is sure.
    mutating func take(
        _ moment: Moment, needed: Float, _ settings: StateDecoder.Settings, _ body: (_ age: Int, Float) -> Void
    ) {
        let share = SignalWindow.blockSeconds / max(settings.walkSeconds, SignalWindow.blockSeconds)
        guard let steps = moment.steps else {
            walked = max(walked - share, 0)
            evidence = max(evidence - needed * settings.onsetDecay, 0)
            short.takeStill(moment.movement)
            if evidence == 0, isSure || short.isOver {
                end(needed: needed, body)
            } else if !isSure, count > 0 {
                hold(0)
            }
            return
        }
        if evidence == 0 { end(needed: needed, body) }
        let odds = log(moment.probability / max(1 - moment.probability, .leastNormalMagnitude))
        evidence = min(evidence + min(odds, settings.onsetMostOdds), needed)
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

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&evidence)
        coder.code(&isSure)
        short.transfer(&coder)
        coder.code(&walked, in: 0...1)
        coder.code(&count, in: 0...Self.capacity)
        for moment in 0..<count { coder.code(&held[moment], in: 0...Self.mostHeld) }
    }
}

/// What is too short to be sure of while it lasts: whether it was steps is decided by what it was like and by how still it
/// was before and after, as people stand between steps, and hands that work do not rest between strokes. A logistic
/// regression on the bouts that people and simulations have of this kind.
struct ShortBout {
    /// The highest sum of log odds of steps.
    private var evidence: Float = 0
    /// Mean squares of movement, (m/s²)²: of the newest moments without steps, of those before the bout, and the sum of
    /// those after it.
    private var still: Float = 0
    private var before: Float = 0
    private var after: Float = 0
    private var afterCount = 0

    /// Whether enough is known of what comes after it.
    var isOver: Bool { afterCount >= Self.momentsAfter }

    /// Begins with the next steps.
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

    /// - Parameter needed: The sum of log odds at which a bout is sure.
    func isOfSteps(needed: Float) -> Bool {
        func logMovement(_ square: Float) -> Float { 0.5 * log(square + Self.leastSquare) }
        let odds =
            Self.bias + Self.evidenceWeight * evidence / max(needed, 1)
            + Self.beforeWeight * logMovement(before)
            + Self.afterWeight * logMovement(after / Float(max(afterCount, 1)))
        return odds > 0
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&evidence)
        coder.code(&still)
        coder.code(&before)
        coder.code(&after)
        coder.code(&afterCount, in: 0...Self.momentsAfter)
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
