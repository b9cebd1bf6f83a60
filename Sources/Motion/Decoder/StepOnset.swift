#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Holds the steps of a bout until it is sure that someone walks: a sequential test (A. Wald, "Sequential Analysis", 1947)
/// on the log odds of steps, moment by moment. Steps of a bout that is given up are not counted.
struct StepOnset {
    /// Moments whose steps are held, each in its own place: 12.8 s. What is older is held with the oldest of them.
    private static let capacity = 32

    /// The sum of log odds since the bout began, at most ``StateDecoder/Settings/onsetEvidence``.
    private var evidence: Float = 0
    private var isSure = false
    /// Steps by moment, the oldest first.
    private var held = SIMD32<Float>.zero
    private var count = 0

    /// Takes the next moment, and gives the steps that are now counted: how many moments ago, and how many.
    /// - Parameters:
    ///   - probability: that of a step.
    ///   - steps: how many steps the moment has, where it is likelier than the threshold that it has any.
    mutating func take(
        _ probability: Float, steps: Float?, _ settings: StateDecoder.Settings, _ body: (_ age: Int, Float) -> Void
    ) {
        guard let steps else {
            evidence -= settings.onsetEvidence * settings.onsetDecay
            if evidence <= 0 { self = StepOnset() } else if !isSure { hold(0) }
            return
        }
        let odds = log(probability / max(1 - probability, .leastNormalMagnitude))
        evidence = min(evidence + min(odds, settings.onsetMostOdds), settings.onsetEvidence)
        if evidence >= settings.onsetEvidence { isSure = true }
        guard isSure else {
            hold(steps)
            return
        }
        for moment in 0..<count { body(count - moment, held[moment]) }
        count = 0
        body(0, steps)
    }

    private mutating func hold(_ steps: Float) {
        if count == Self.capacity {
            held[1] += held[0]
            for moment in 1..<count { held[moment - 1] = held[moment] }
            count -= 1
        }
        held[count] = steps
        count += 1
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&evidence)
        coder.code(&isSure)
        coder.code(&count, in: 0...Self.capacity)
        for moment in 0..<count { coder.code(&held[moment]) }
    }
}
