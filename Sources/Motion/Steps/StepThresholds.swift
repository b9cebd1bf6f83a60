/// The thresholds of the step counter. Published walking features were the start; the values were tuned on recordings
/// of wrists and phones.
enum StepThresholds {
    /// Similarity at the period that opens the gate, and that keeps it open.
    static let openingStrength: Float = 0.40
    static let closingStrength: Float = 0.30
    /// Evaluations (0.4 s each) that must agree on the period before it opens.
    static let openingEvaluations = 6
    /// So many are enough where the similarity is as high.
    static let clearEvaluations = 4
    static let clearStrength: Float = 0.55
    /// The rates of walking, steps a second (Straczkiewicz et al., npj Digit. Med. 6:29 (2023), look for walks in
    /// 1.4…2.3 Hz alone).
    static let walkingRates: ClosedRange<Float> = 1.3...2.4
    /// Steps a second that are believed.
    static let rates: ClosedRange<Float> = 0.45...4.2
    /// Steps so like each other are walked, and no springs.
    static let walkLikeness: Float = 0.7
    /// Evaluations that must agree where a road shakes, whose springs swing once or twice a second.
    static let shakenEvaluations = 15
    /// Steps that are less alike, and in how many evaluations they must agree: no road keeps one rhythm for 12 s.
    static let lastingLikeness: Float = 0.5
    static let lastingEvaluations = 30
    /// Feet shake more than any seat does for long, m/s² (ISO 2631-1:1997, annex C: extremely uncomfortable from 2 on).
    static let shakenNormDeviation: Float = 1.5
    /// How far two rates may be apart and still agree.
    static let agreement: Float = 0.15
    /// Least movement, m/s², and where no gesture is felt.
    static let vectorDeviation: Float = 0.2
    static let quietVectorDeviation: Float = 0.12
    /// Least change of |a|, m/s²: turning the wrist does not change |a|, a footfall does.
    static let normDeviation: Float = 0.7
    /// The share of it that keeps a bout open: of two steps in a row one may be softer.
    static let openNormShare: Float = 0.8
    /// The same when |a| repeats this clearly: a slow walker sets the feet down softly, but one like the other.
    static let clearNormDeviation: Float = 0.3
    static let clearNormStrength: Float = 0.75
    static let plainNormStrength: Float = 0.5
    /// Steps a second under which it falls with the fourth power of the rate, as the rise of a body goes with the
    /// square of a step's length and its acceleration with that of the rate, too; its value there when |a| repeats even
    /// more clearly; and the least, which hearts and breath stay below.
    static let clearNormRate: Float = 1.3
    static let leastNormDeviation: Float = 0.055
    static let sureNormDeviation: Float = 0.17
    static let sureNormStrength: Float = 0.9
    /// Least share of |a| in the movement.
    static let normShare: Float = 0.45
    /// A change of |a| that needs no such share, m/s²: vigorous arms, when |a| itself is this similar.
    static let plainNormDeviation: Float = 1.5
    static let normStrength: Float = 0.3
    /// That share when |a| repeats more clearly by this range, and on a thigh, which swings, at slow steps, a second; in
    /// slower ones a body rises less, and a limb turns gravity as far.
    static let clearNormShare: Float = 0.3
    static let clearNormRange: Float = 0.35
    static let slowThighNormShare: Float = 0.15
    static let slowRate: Float = 1.4
    /// By how much more alike two strides must be than two steps when an arm swings with the stride.
    static let alternation: Float = 0.2
    /// By how much less alike two strides are than two steps of what strikes with each.
    static let pushAlternation: Float = -0.05
    /// The weight of |a| in the similarities that a period is found in.
    static let normWeight: Float = 0.6

    /// The least change of |a|, m/s²: the less, the clearer it repeats, and the slower the steps, but not where a hand
    /// may hold a handlebar, which moves as little.
    static func neededNormDeviation(strength: Float, rate: Float, mayPedal: Bool) -> Float {
        let clearness = min(max((strength - plainNormStrength) / (clearNormStrength - plainNormStrength), 0), 1)
        let slowness = mayPedal ? 1 : rate / clearNormRate
        let fall = slowness * slowness * slowness * slowness
        let clear = clearNormDeviation * min(fall, 1)
        // What is sure may be softer, also somewhat above that rate, until it is no softer than what is clear.
        let sure = mayPedal ? clear : min(sureNormDeviation * fall, clearNormDeviation)
        let least = max(clear + (sure - clear) * sureness(strength: strength), leastNormDeviation)
        return normDeviation + (least - normDeviation) * clearness
    }

    /// The least movement, m/s²: less where no gesture is felt, and where nobody told the place and feet are heard.
    static func leastMovement(_ features: SignalFeatures, _ placement: Placement) -> Float {
        let isQuiet = !placement.mayTurn || placement == .unknown && ImpactCadence.isJolted(features)
        return isQuiet ? quietVectorDeviation : vectorDeviation
    }

    /// How far |a| repeats more than clearly, 0…1.
    static func sureness(strength: Float) -> Float {
        min(max((strength - clearNormStrength) / (sureNormStrength - clearNormStrength), 0), 1)
    }

    /// Whether |a| changes too little, beside the movement, for footfalls, m/s².
    static func isSmall(_ normDeviation: Float, beside vectorDeviation: Float) -> Bool {
        normDeviation < self.normDeviation || normDeviation < normShare * vectorDeviation
    }
}
