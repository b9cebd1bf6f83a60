/// The thresholds by which an arm that swings beside a walk is told from a hand at work.
enum ArmThresholds {
    /// Evaluations (0.4 s each) that must agree on the period before a bout opens; at a rate outside those of walking;
    /// and where feet are heard in slow steps, which come unevenly.
    static let openingEvaluations = 8
    static let unlikelyEvaluations = 12
    static let slowEvaluations = 8
    /// The least similarity that opens at a rate above those of walking; nine in ten seconds of runs have more.
    static let fastStrength: Float = 0.65
    /// The most roughness of |a| where an arm softens the jolts.
    static let mostRoughness: Float = 0.95
    /// The same over that of a sine at the step rate: what is so quick is rough without any jolts; and of an arm whose
    /// body falls freely between two steps: runners land hard.
    static let quickShare: Float = 1.5
    static let flyingShare: Float = 2.5
    /// The least share of |a| in a movement that jolts more than that, in a pocket: hands that scrub or shake have less
    /// than half.
    static let joltedShare: Float = 0.5
    /// The least change of |a|, m/s², over the square of the step rate: a rise and fall by 9 mm (0.25·√2/(2π)² m); and
    /// the share of it that is enough where |a| repeats surely.
    static let normPerSquaredRate: Float = 0.25
    static let sureShare: Float = 0.6
    /// Roughness of the whole movement, where arms move more than footfalls shake: the arms of a walker are jolted.
    static let openingRoughness: Float = 0.16
    static let closingRoughness: Float = 0.12
    /// The similarity of one step's movement to the next, above which a stride's must be higher still; one moment in
    /// five hundred of walks with a bag has more and is otherwise, and none of those at the wrist.
    static let strokeSimilarity: Float = 0.8
    /// The similarity of |a| a stride ago above which a runner's other foot is heard.
    static let strokeRepetition: Float = 0.8
    /// The similarity of |a| a step ago over that a stride ago, below which a hand goes to and fro, and by how much
    /// less that is for what slow sampling takes of the roughness. One in a thousand moments of walks on record has
    /// less, and most of those in which simulated saws were taken for walks.
    static let toAndFro: Float = -0.65
    static let slowToAndFro: Float = 1
    /// The most that |a| changes at a hand on a handlebar, m/s²; nine in ten seconds at an exercise bike's have under
    /// 0.5.
    static let handlebarNormDeviation: Float = 1.2

    /// The least change of |a|, m/s²: that of a body which rises and falls by some millimetres, less in the shorter
    /// steps of slow walks, as the rise goes with the square of a step's length, and that with the rate; and less where
    /// it is sure that a walk repeats.
    static func leastNormDeviation(rate: Float, sureness: Float) -> Float {
        let slowness = min(rate / StepThresholds.slowRate, 1)
        let softness = 1 - (1 - sureShare) * sureness
        return softness * normPerSquaredRate * rate * rate * slowness * slowness
    }

    /// Whether |a| changes more than that of a hand which holds a handlebar.
    static func isBeyondHandlebar(_ features: SignalFeatures, _ placement: Placement) -> Bool {
        placement.isArm && features.normDeviation > handlebarNormDeviation
    }
}
