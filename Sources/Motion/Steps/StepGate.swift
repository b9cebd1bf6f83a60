/// The thresholds of the step counter. Published walking features were the start; the values were tuned on recordings
/// of wrists and phones.
enum StepGate {
    /// Similarity at the period that opens the gate, and that keeps it open.
    static let openingStrength: Float = 0.40
    static let closingStrength: Float = 0.30
    /// Evaluations (0.4 s each) that must agree on the period before it opens.
    static let openingEvaluations = 6
    /// The same on an arm, and there at a rate outside those of walking, steps a second (Straczkiewicz et al., npj
    /// Digit. Med. 6:29 (2023), look for walks in 1.4…2.3 Hz alone); and fewer that do on a clear signal.
    static let walkingRates: ClosedRange<Float> = 1.3...2.4
    static let openingArmEvaluations = 8
    static let unlikelyArmEvaluations = 12
    /// The same where feet are heard in slow steps, which come unevenly.
    static let slowArmEvaluations = 8
    /// Steps so like each other are walked, and no springs.
    static let walkLikeness: Float = 0.7
    /// Evaluations that must agree where a road shakes, whose springs swing once or twice a second.
    static let shakenEvaluations = 15
    /// Steps that are less alike, and in how many evaluations they must agree: no road keeps one rhythm for 12 s.
    static let lastingLikeness: Float = 0.5
    static let lastingEvaluations = 30
    /// Feet shake more than any seat does for long, m/s² (ISO 2631-1:1997, annex C: extremely uncomfortable from 2 on).
    static let shakenNormDeviation: Float = 1.5
    /// The least similarity that opens on an arm at a rate above those of walking; nine in ten seconds of runs have
    /// more.
    static let fastArmStrength: Float = 0.65
    static let clearEvaluations = 4
    static let clearStrength: Float = 0.55
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
    /// The same when |a| repeats more clearly by this range, and on a thigh, which swings, at slow steps, a second; in
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
    /// In an arm that a body carries: the least similarity of |a| a stride ago, which riders' simulated arms hardly
    /// reach; and a step ago, which no exercise and no work with hands that go to and fro has, on record or simulated.
    static let carriedStrength: Float = 0.8
    static let carriedStepStrength: Float = 0.35
    /// The change of |a| then, m/s², over the square of the step rate: a rise and fall by 4 to 25 mm.
    static let carriedNormPerSquaredRate: ClosedRange<Float> = 0.1...0.7
    /// The same that few arms on handlebars reach.
    static let likelyNormPerSquaredRate: Float = 0.2
    /// By how much more alike two strides are than two steps, at least; and at most at one step a second: beside what
    /// arms do, what a body does grows with the pace, with about the third power.
    static let carriedStrideLead: Float = 0.03
    static let carriedSwing: Float = 1.45
    /// The least share of |a| where an arm swings wide in slow steps.
    static let swingingNormShare: Float = 0.18
    /// The jolts that must be heard where two strides are more alike than two steps by 1, at first and once they were
    /// heard, in energies of a sine at the step rate; and by how much they are more alike where nothing swings. By
    /// simulated walks at 50 to 90 steps a minute, and arms that swing where nobody walks.
    static let joltsPerSwing: Float = 0.36
    static let knownJoltsPerSwing: Float = 0.22
    static let quietSwing: Float = 0.1
    /// On an arm: the similarity of one step's movement to the next, above which a stride's must be higher still; one
    /// moment in five hundred of walks with a bag has more and is otherwise, and none of those at the wrist.
    static let strokeSimilarity: Float = 0.8
    /// The similarity of |a| a step ago over that a stride ago, below which a hand goes to and fro, and by how much
    /// less that is for what slow sampling takes of the roughness. One in a thousand moments of walks on record has
    /// less, and most of those in which simulated saws were taken for walks.
    static let toAndFro: Float = -0.65
    static let slowToAndFro: Float = 1
    /// The similarity of |a| a stride ago above which a runner's other foot is heard.
    static let strokeRepetition: Float = 0.8
    /// A change of |a|, m/s², that only a body makes which falls freely between two steps.
    static let flightNormDeviation: Float = 5
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
    /// How far |a| is its opposite half a step later, as a share of how like itself it is a step later, at least: a sine
    /// has 1, and a hand on a handlebar feels both pushes of a turn.
    static let singleStep: Float = 0.65
    /// The change of |a| then, m/s², over the square of the step rate, of who walks and who runs: a rise and fall by 2 to
    /// 9 mm, and by 5 to 13 mm. A hand that waves has more.
    static let heldOnWalk: ClosedRange<Float> = 0.06...0.25
    static let heldOnRun: ClosedRange<Float> = 0.15...0.35
    /// The share of |a| in the movement of a runner whose arms hardly swing; a hand that shakes something as hard has
    /// less, as it turns.
    static let stiffArmShare: Float = 0.72
    /// The least roughness of |a| then: of a sine's at the step rate, or enough at any rate.
    static let clearSineRoughnessShare: Float = 2
    static let clearRoughness: Float = 0.2
    /// The jolts of feet, in energies of a sine at the step rate, at which a trunk may walk: even a slow crank has
    /// fewer.
    static let footJolts: Float = 3
    /// What twice as many are worth, as similarity of |a|; and the share of that which they are worth as similarity of
    /// all that moves.
    static let footLikeness: Float = 0.25
    static let footStrength: Float = 0.4
    /// The jolts heard at an arm that swings in slow steps, in the same measure, at least; the change of |a| then, m/s²,
    /// over the square of the step rate, a rise and fall by 6 to 18 mm; and the most movement over the same. Hands on
    /// handlebars and at work that is as slow have less of the second, or more of the third, nearly always.
    static let slowArmJolts: Float = 1
    static let slowArmNorm: ClosedRange<Float> = 0.17...0.5
    static let slowArmMovement: Float = 1.6
    /// The same change where nobody told the place, and feet are heard as well as on a trunk: it may be one.
    static let joltedNorm: ClosedRange<Float> = 0.1...0.5
    /// How much moves, m/s², where an arm may be and a slow walk is looked for by its jolts: simulated wrists, pockets and
    /// thighs move by less than a hand at work, and by more than a table that is knocked.
    static let slowMovement: ClosedRange<Float> = 0.06...2
    /// A change of |a|, m/s², that is little more than what standing makes: impacts tell then when steps begin and end.
    static let softNormDeviation: Float = 0.1
    /// From one of those to the next, in steps, and how hard they are, in what is usual.
    static let impactGaps: ClosedRange<Float> = 0.3...2.4
    static let impactShare: Float = 1.2
    /// A change of |a| that only running makes, m/s².
    static let runningNormDeviation: Float = 3
    /// A movement, m/s², that only running makes: steps of less than 2.2 a second are then strides, of at most so many
    /// steps a second.
    static let runningVectorDeviation: Float = 11
    static let fastestRate: Float = 3.9
    /// Movement of the last moments over that of the last seconds, under which the walk has stopped.
    static let stopShare: Float = 0.5
    /// Movement over that of now, above which it belongs to the walk already, and to a run, which is stronger than what
    /// goes before it.
    static let onsetShare: Float = 0.4
    static let fastOnsetShare: Float = 0.5
    /// A change of |a| that needs no such share, m/s²: vigorous arms, when |a| itself is this similar.
    static let plainNormDeviation: Float = 1.5
    static let normStrength: Float = 0.3
    /// The most that |a| changes at a hand on a handlebar, m/s²; nine in ten seconds at an exercise bike's have under
    /// 0.5.
    static let handlebarNormDeviation: Float = 1.2
    /// The same stop, looked for in |a|.
    static let stopNormShare: Float = 0.5
    /// Steps a second above which a strong change of |a| is running whatever the arms do.
    static let runningRate: Float = 2.2
    /// Steps a second above which only running goes, and the least change of |a| it makes, m/s².
    static let fastRate: Float = 2.7
    static let fastNormDeviation: Float = 2.5
    /// Roughness of |a| that opens and keeps open, and its least share of a sine's at the step rate: a gesture is
    /// smooth, a footfall is not.
    static let openingRoughness: Float = 0.15
    static let closingRoughness: Float = 0.12
    static let openingSineRoughness: Float = 0.95
    static let closingSineRoughness: Float = 0.7
    /// The last one where a body falls freely in quick steps: a sprinter's arms swing so wide that |a| has half the rate
    /// as well.
    static let flyingSineRoughness: Float = 0.6
    /// The shares of the first two and of the others that are asked where gravity was put back: the axis that it is put
    /// along is found, not felt, so that |a| has more of the smooth swing and as much of the jolts. With less, arms
    /// that swing at the side of who stands are counted.
    static let restoredRoughnessShares: (least: Float, ofSine: Float) = (0.7, 0.85)
    /// The same where |a| changes by more than a walking body's, which rises by 6 cm at most (0.03·(2π)²/√2 m/s² at one
    /// step a second; Gard & Childress, J. Prosthet. Orthot. 13 (2001) 64): an arm swings there, as smoothly as a sine,
    /// and feet must be heard above it.
    static let openingWideSineRoughness: Float = 1.15
    static let wideNormPerSquaredRate: Float = 0.9
    /// The most that |a| changes in slow steps on a thigh beside the jolts, m/s², over the square of their rate; elsewhere
    /// it is ``LegGate/highestRise``. Simulated walkers have up to 0.54, who goes down stairs 0.82 at the hip, and who
    /// climbs them up to 1.7 mostly at a thigh.
    static let slowThighRise: Float = 1.8
    /// The same where |a| is smoother than of slow walkers who move so much: they have more than 0.18.
    static let smoothRise: Float = 0.75
    static let slowRoughness: Float = 0.15
    /// The same over the square of the frequency that the roughness tells: who climbs stairs has 0.3 mostly, at most 0.5.
    static let squatRise: Float = 0.6
    /// Slow steps need no more roughness than this share of their sine's at 50 Hz.
    static let slowSineRoughness: Float = 1.3
    /// What is left of jolts in samples at 25 Hz; slower ones are made good of as if they came so often.
    static let tickJoltShare: Float = 0.5
    /// Roughness of the whole movement, where arms move more than footfalls shake: the arms of a walker are jolted.
    static let openingArmRoughness: Float = 0.16
    static let closingArmRoughness: Float = 0.12
    /// A peak this share of the highest one is the fundamental.
    static let peakShare: Float = 0.8
    /// A tracked cadence is given up when |a| is this many times as strong as steps so slow can be, or as a body's that
    /// flies.
    static let trackedNormShare: Float = 1.5
    /// Periods above this, s, may be two strides.
    static let twoStridesPeriod: Float = 1.5
    /// Lags above this may span two strides; then the peak at half the lag is taken when it is this share.
    static let longLag: Float = 32
    static let halfShare: Float = 0.45
    /// The most that is credited at a first onset, µs, or in steps where they are slow; and after a pause shorter than
    /// this, µs, all that moved.
    static let creditMicroseconds: Int64 = 7_000_000
    /// The same on an arm, where more must agree before a bout opens, µs.
    static let armCreditMicroseconds: Int64 = 8_500_000
    static let creditSteps: Float = 14
    /// The most that is credited when slow steps are found, µs.
    static let slowCreditMicroseconds: Int64 = 40_000_000
    static let pauseMicroseconds: Int64 = 15_000_000
    /// For how long the last rate helps to tell steps from strides, µs.
    static let recallMicroseconds: Int64 = 60_000_000
    /// On a leg: footfalls are rougher than pedalling.
    static let legRoughness: Float = 0.8
    /// Where sampling has taken the high notes away: the least roughness, and the most opposition that opens and that
    /// keeps open. A leg on a pedal goes round, so that it moves the other way half a turn later.
    static let leastLegRoughness: Float = 0.35
    static let openingOpposition: Float = 0.5
    static let roughOpposition: Float = 0.7
    static let closingOpposition: Float = 0.58
    /// Lags at which the opposite is looked for: up to 1.6 s.
    static let oppositionLags = 3...40
    /// Lags at which the repetition is looked for that it is compared with: 0.28…2.2 s.
    static let repetitionLags = 7...55
    /// Steps are integrated this long after they happened, so that nothing must be taken back: 1.2 s.
    static let delayMicroseconds: Int64 = 1_200_000
    /// Time constant of a person's lag products, s, and by how much the clearest similarity is forgotten an evaluation.
    static let memorySeconds: Float = 2.5
    static let clearestFall: Float = 0.01
    /// Movement over that of the bout, under which it has fallen; that of a run, which fades, is less of it. After a
    /// movement ends its deviation falls to half within 2 · 0.4 s · ln 2, half a step of which is the last footfall's
    /// own, s.
    static let fallShare: Float = 0.5
    static let fastFallShare: Float = 0.7
    static let fallSeconds: Float = 0.55
    static let fastFallSeconds: Float = 0.42
    /// Single footfalls: the least height of a peak of the smoothed |a|, its least deviation, m/s², and the share of
    /// |a| in the movement about it.
    static let footfallHeight: Float = 0.3
    static let footfallDeviation: Float = 0.3
    /// The height and the deviation of soft first steps on a trunk.
    static let softFootfallHeight: Float = 0.12
    static let footfallShare: Float = 0.3
    /// So many footfalls make a bout at least, however likely.
    static let footfallCount = 4
    /// The same on an arm whose bearer has not walked of late.
    static let footfallFirstArmCount = 6
    /// The first and the last step: the time to the next to them, in intervals of the others, and the height over their
    /// mean.
    static let edgeGaps: ClosedRange<Float> = 0.7...1.6
    static let edgeHeights: ClosedRange<Float> = 0.4...1.5
    /// So many soft steps begin or end a walk at most.
    static let softSteps = 2
    /// For so long after it began to move a thigh may begin to walk, µs: simulated ones are known within it.
    static let undecidedMicroseconds: Int64 = 8_000_000
    /// The longest time from one to the next, µs.
    static let footfallGapMicroseconds: Int64 = 1_600_000
    /// A footfall so soon after what is counted is counted, µs.
    static let footfallMargin: Int64 = 250_000
    /// The longest mean interval where gestures are felt, s: arms, too, go up and down once a second.
    static let footfallWristInterval: Float = 1
    /// The most roughness where an arm softens the jolts.
    static let armRoughness: Float = 0.95
    /// The same over that of a sine at the step rate: what is so quick is rough without any jolts.
    static let quickArmShare: Float = 1.5
    /// And of an arm whose body falls freely between two steps: runners land hard.
    static let flyingArmShare: Float = 2.5
    /// The least share of |a| in a movement that jolts more than that, in a pocket: hands that scrub or shake have less
    /// than half.
    static let joltedShare: Float = 0.5
    /// The least change of |a| of an arm, m/s², over the square of the step rate: a rise and fall by 9 mm
    /// (0.25·√2/(2π)² m).
    static let armNormPerSquaredRate: Float = 0.25
    /// The share of it that is enough where |a| repeats surely.
    static let sureArmShare: Float = 0.6
    /// From one footfall to the next of the same walk, in intervals of its rate.
    static let footfallGaps: ClosedRange<Float> = 0.5...1.6
    /// The same on an arm, which swings once in two steps: one foot may be heard, and the other not.
    static let armFootfallGaps: ClosedRange<Float> = 0.5...2.4
    /// Periods searched, in ticks: 0.28…2.5 s.
    static let lags = 7...62
    /// The same on a leg, which feels one foot alone: to 3.1 s.
    static let legLags = 7...77
    /// Where in a stride the other foot lands, and how similar |a| is to itself then, at least.
    static let otherFoot: ClosedRange<Float> = 0.35...0.65
    static let otherFootSimilarity: Float = 0
    /// The similarity of |a| from which a hard jolt that comes so slowly is one step.
    static let sureStepSimilarity: Float = 0.7
    /// Steps a second that are believed.
    static let rates: ClosedRange<Float> = 0.45...4.2

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
        let isQuiet = !placement.mayTurn || placement == .unknown && SlowRhythm.isJolted(features)
        return isQuiet ? quietVectorDeviation : vectorDeviation
    }

    /// How far |a| repeats more than clearly, 0…1.
    static func sureness(strength: Float) -> Float {
        min(max((strength - clearNormStrength) / (sureNormStrength - clearNormStrength), 0), 1)
    }

    /// The least change of |a| of an arm, m/s²: that of a body which rises and falls by some millimetres, less in the
    /// shorter steps of slow walks, as the rise goes with the square of a step's length, and that with the rate; and
    /// less where it is sure that a walk repeats.
    static func leastArmNormDeviation(rate: Float, sureness: Float) -> Float {
        let slowness = min(rate / slowRate, 1)
        let softness = 1 - (1 - sureArmShare) * sureness
        return softness * armNormPerSquaredRate * rate * rate * slowness * slowness
    }

    /// Whether |a| changes too little, beside the movement, for footfalls, m/s².
    static func isSmall(_ normDeviation: Float, beside vectorDeviation: Float) -> Bool {
        normDeviation < self.normDeviation || normDeviation < normShare * vectorDeviation
    }

    /// Whether an arm's |a| changes more than that of one which holds a handlebar.
    static func isBeyondHandlebar(_ features: SignalFeatures, _ placement: Placement) -> Bool {
        (placement == .wrist || placement == .hand) && features.normDeviation > handlebarNormDeviation
    }

    /// Whether a leg walks, and does not pedal.
    static func isWalkingLeg(_ features: SignalFeatures, isOpen: Bool) -> Bool {
        features.roughness > legRoughness && features.opposition < roughOpposition
            || features.roughness > leastLegRoughness
                && features.opposition < (isOpen ? closingOpposition : openingOpposition)
    }

    /// Whether the movement of the last moments is little beside that of the last seconds; between slow steps, `rate` a
    /// second, it is so for a moment.
    static func hasFaded(_ features: SignalFeatures, rate: Float = slowRate) -> Bool {
        let slowness = min(rate / slowRate, 1)
        return features.shortVectorDeviation <= slowness * stopShare * features.vectorDeviation
            && features.shortNormDeviation <= slowness * stopNormShare * features.normDeviation
    }
}
