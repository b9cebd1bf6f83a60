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

extension Placement {
    /// Whether the sensor sits where gestures turn it.
    var mayTurn: Bool { isArm || self == .unknown }

    /// Whether an arm moves it.
    var isArm: Bool { self == .wrist || self == .hand }

    /// Whether it may sit on a wrist, whose hand has work of its own.
    var isOnArm: Bool { self == .wrist || self == .unknown }

    /// Whether it may hang on a leg that pedals: who told of a wrist, a hand, a bag or a back told that it does not.
    var mayBeOnLeg: Bool { isLeg || self == .pocket || self == .hip || self == .unknown }

    /// The same, but not on a belt above it.
    var maySwingWithLeg: Bool { mayBeOnLeg && self != .hip }

    /// Whether it sits on a thigh that may pedal, or in a pocket, which may be on one.
    var mayBeOnThigh: Bool { self == .thigh || self == .pocket }

    /// The longest time from one to the next that is believed, s.
    var longestFootfallInterval: Float {
        mayTurn ? FootfallThresholds.longestArmInterval : Float(FootfallThresholds.longestGapMicroseconds) * 1e-6
    }

    /// Whether the sensor sits where little but footfalls is felt.
    var isTrunk: Bool { self == .hip || self == .back }

    /// Whether feet are heard there beside what swings.
    var hearsFeet: Bool { isTrunk || mayBeOnThigh || self == .bag || mayTurn }

    /// So many soft steps begin a walk that are told from what else moves there: bags are handled, and hands move.
    var mostSoftSteps: Int { mayTurn || self == .bag ? 1 : FootfallThresholds.mostSoftSteps }

    /// The least height of a footfall that may be a soft first step, m/s².
    var leastFootfallHeight: Float { isTrunk ? FootfallThresholds.softHeight : FootfallThresholds.height }

    /// From one footfall that is heard to the next of the same walk, in intervals of its rate.
    var footfallGaps: ClosedRange<Float> {
        isBelowKnee ? ShankThresholds.footfallGaps : mayTurn ? FootfallThresholds.armGaps : FootfallThresholds.gaps
    }
}

/// The thresholds by which it is known when a bout began and when it ended, and for how long it is remembered.
enum BoutThresholds {
    /// Movement over that of now, above which it belongs to the walk already, and to a run, which is stronger than what
    /// goes before it.
    static let onsetShare: Float = 0.4
    static let fastOnsetShare: Float = 0.5
    /// The most that is credited at a first onset, µs; on an arm, where more must agree before a bout opens; in steps
    /// where they are slow; and when slow steps are found that only the feet tell.
    static let creditMicroseconds: Int64 = 7_000_000
    static let armCreditMicroseconds: Int64 = 8_500_000
    static let creditSteps: Float = 14
    static let footCreditMicroseconds: Int64 = 40_000_000
    /// For so long after it began to move a thigh may begin to walk, µs: simulated ones are known within it.
    static let undecidedMicroseconds: Int64 = 8_000_000
    /// Steps are integrated this long after they happened, so that nothing must be taken back: 1.2 s.
    static let delayMicroseconds: Int64 = 1_200_000
    /// Movement over that of the bout, under which it has fallen; that of a run, which fades, is less of it. After a
    /// movement ends its deviation falls to half within 2 · 0.4 s · ln 2, half a step of which is the last footfall's
    /// own, s.
    static let fallShare: Float = 0.5
    static let fastFallShare: Float = 0.7
    static let fallSeconds: Float = 0.55
    static let fastFallSeconds: Float = 0.42
    /// Time constant of a person's lag products, s, and by how much the clearest similarity is forgotten an evaluation.
    static let memorySeconds: Float = 2.5
    static let clearestFall: Float = 0.01
    /// Movement of the last moments over that of the last seconds, under which the walk has stopped; and the same of
    /// |a|.
    static let stopShare: Float = 0.5
    static let stopNormShare: Float = 0.5
    /// After a pause shorter than this, µs, all that moved is credited.
    static let pauseMicroseconds: Int64 = 15_000_000
    /// For how long the last rate helps to tell steps from strides, µs.
    static let recallMicroseconds: Int64 = 60_000_000

    /// Whether the movement of the last moments is little beside that of the last seconds; between slow steps, `rate` a
    /// second, it is so for a moment.
    static func hasFaded(_ features: SignalFeatures, rate: Float = StepThresholds.slowRate) -> Bool {
        let slowness = min(rate / StepThresholds.slowRate, 1)
        return features.shortVectorDeviation <= slowness * stopShare * features.vectorDeviation
            && features.shortNormDeviation <= slowness * stopNormShare * features.normDeviation
    }
}

/// The thresholds by which a run is known.
enum RunThresholds {
    /// A change of |a| that only running makes, m/s².
    static let normDeviation: Float = 3
    /// Steps a second above which a strong change of |a| is running whatever the arms do.
    static let rate: Float = 2.2
    /// Steps a second above which only running goes, and the least change of |a| it makes, m/s².
    static let fastRate: Float = 2.7
    static let fastNormDeviation: Float = 2.5
    /// The most steps a second of which a swing may be two.
    static let fastestRate: Float = 3.9
    /// A movement, m/s², that only running makes: steps of less than 2.2 a second are then strides.
    static let vectorDeviation: Float = 11
    /// A change of |a|, m/s², that only a body makes which falls freely between two steps.
    static let flightNormDeviation: Float = 5
    /// The share of |a| in the movement of a runner whose arms hardly swing; a hand that shakes something as hard has
    /// less, as it turns.
    static let stiffArmShare: Float = 0.72
}

/// The thresholds by which an arm is known that a walking body carries, however the arm itself moves.
enum CarriedThresholds {
    /// The least similarity of |a| a stride ago, which riders' simulated arms hardly reach; and a step ago, which no
    /// exercise and no work with hands that go to and fro has, on record or simulated.
    static let strength: Float = 0.8
    static let stepStrength: Float = 0.35
    /// The change of |a| then, m/s², over the square of the step rate: a rise and fall by 4 to 25 mm; and the least
    /// that few arms on handlebars reach.
    static let normPerSquaredRate: ClosedRange<Float> = 0.1...0.7
    static let likelyNormPerSquaredRate: Float = 0.2
    /// By how much more alike two strides are than two steps, at least; and at most at one step a second: beside what
    /// arms do, what a body does grows with the pace, with about the third power.
    static let leastStrideLead: Float = 0.03
    static let mostSwing: Float = 1.45
    /// The least share of |a| where an arm swings wide in slow steps.
    static let swingingNormShare: Float = 0.18
    /// The jolts that must be heard where two strides are more alike than two steps by 1, at first and once they were
    /// heard, in energies of a sine at the step rate; and by how much they are more alike where nothing swings. By
    /// simulated walks at 50 to 90 steps a minute, and arms that swing where nobody walks.
    static let joltsPerSwing: Float = 0.36
    static let knownJoltsPerSwing: Float = 0.22
    static let quietSwing: Float = 0.1
    /// Of a hand that a walking body moves while it holds on to something: the step rates; the similarity of |a| a step
    /// and a stride ago, at first, once it was found, where left and right differ, and in a rhythm that was pedalled;
    /// and the share of |a| in the movement. By simulated walks behind prams and on treadmills; hands on handlebars, on
    /// record and simulated, hardly ever have all of these.
    static let heldOnRates: ClosedRange<Float> = 1.1...3
    static let heldOnStrength: Float = 0.8
    static let knownHeldOnStrength: Float = 0.7
    static let swayingStrength: (stride: Float, step: Float) = (0.6, 0.35)
    static let pedalledHeldOnStrength: Float = 0.9
    static let heldOnNormShare: Float = 0.42
    /// How far |a| is its opposite half a step later, as a share of how like itself it is a step later, at least: a
    /// sine has 1, and a hand on a handlebar feels both pushes of a turn.
    static let singleStep: Float = 0.65
    /// The change of |a| then, m/s², over the square of the step rate, of who walks and who runs: a rise and fall by 2
    /// to 9 mm, and by 5 to 13 mm. A hand that waves has more.
    static let heldOnWalk: ClosedRange<Float> = 0.06...0.25
    static let heldOnRun: ClosedRange<Float> = 0.15...0.35
}

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
