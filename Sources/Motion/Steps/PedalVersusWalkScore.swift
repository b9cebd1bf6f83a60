#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Whether what repeats itself is a leg on a pedal or one that walks, gathered over some seconds.
///
/// Two feet change |a| twice a stride, and no thigh swings as often as that. So what turns |a| into its opposite half a
/// stride later, or does all that it does once a step, over and over in the same way and not as a body that bounces, is
/// held by a pedal.
struct PedalVersusWalkScore {
    /// The logarithm of the odds for a pedal, as far as they go, and from where on no steps are counted and pedalling
    /// is looked for.
    private static let most: Float = 3
    private static let least: Float = -1.5
    private static let blocking: Float = 0.5
    private static let certain: Float = 2.5
    private static let walking: Float = -1.2
    /// What an evaluation says at most.
    private static let mostOdds: Float = 1
    /// The hip of who pedals turns by 38° (M. O. Ericson et al., J. Orthop. Sports Phys. Ther. 9 (1988) 273), and
    /// gravity with the thigh, by some 2 m/s²: what moves far less is no leg, m/s².
    private static let leastMovement: Float = 1.2
    /// The similarity that says something.
    private static let leastStrength: Float = 0.65
    /// The same where |a| tells both feet, whose steps on stairs are less alike than those on the flat.
    private static let leastFootStrength: Float = 0.45
    /// How much of a walk's odds an evaluation forgets that finds no leg, where none need be: a gesture above a handlebar
    /// looks like a stride, and nobody walks on with so little.
    private static let forgotten: Float = 0.1
    /// How much of what speaks for a pedal is believed of who walks, with a sensor that need not be on a leg: nobody
    /// gets on a bike without breaking the rhythm.
    private static let persistence: Float = 0.15

    private(set) var odds: Float = 0

    /// How the limb swings now, where a gyroscope tells it. No state: it is found anew at each evaluation.
    var swing: LegSwing?

    /// Whether no steps are to be counted.
    private var blocksSteps: Bool { odds > Self.blocking }

    /// Whether someone pedals.
    var isPedalling: Bool { odds > Self.certain }

    /// Whether two feet are heard, however smoothly the leg swings: the angular velocity of a walker's thigh is nearly
    /// a pure line, and a runner's more so.
    var isWalking: Bool { odds < Self.walking }

    /// Whether what repeats itself now looks like pedalling, as far as it can be known so soon.
    private(set) var doubts = false

    /// Whether no steps are to be counted with a sensor here.
    func forbidsSteps(on placement: Placement) -> Bool {
        placement == .thigh ? isPedalling : blocksSteps
    }

    /// Whether the limb turns with a pedal, as wide as a leg does.
    func turnsWithLeg(_ features: SignalFeatures) -> Bool {
        swing.map { $0.goesRound && $0.isWide(features) } ?? false
    }

    /// Whether the limb goes round, and |a| does not say that two feet land.
    var goesRound: Bool { swing?.goesRound == true && !isWalking }

    /// Steps a second of someone who runs, as a leg tells that swings once in two of them; 0 where none does.
    func runningRate(_ features: SignalFeatures) -> Float {
        guard let swing, swing.isFasterThanWalk, swing.isWide(features), !swing.goesRound else { return 0 }
        return 2 * swing.rate
    }

    /// Whether a sensor on a leg walks, and does not pedal. Who swings a leg faster than walkers do runs or pedals,
    /// and the swing tells which; of slower ones |a| tells better whether two feet land, because a body hardly rises.
    func walks(_ features: SignalFeatures, _ placement: Placement, isOpen: Bool) -> Bool {
        if placement.isBelowKnee { return isOpen ? !blocksSteps : odds <= -ShankThresholds.openingOdds }
        if let swing {
            if swing.isFasterThanWalk, swing.isWide(features) { return !swing.goesRound }
            if goesRound { return false }
        }
        let mayWalk = isOpen || odds < 0 || features.vectorDeviation < Self.leastMovement
        return !forbidsSteps(on: placement)
            && (isWalking || mayWalk && LegThresholds.isWalkingLeg(features, isOpen: isOpen))
    }

    /// Whether pedalling of a leg may begin: something speaks for it, or nothing is said of so little movement.
    func mayPedal(_ features: SignalFeatures, _ placement: Placement) -> Bool {
        if odds > 0 || goesRound { return true }
        return !placement.isBelowKnee && features.vectorDeviation < Self.leastMovement
    }

    mutating func take(
        _ hypothesis: StepHypothesis?, _ features: SignalFeatures, _ placement: Placement, isOpen: Bool
    ) {
        if placement.isBelowKnee {
            takeShank(hypothesis, features, placement)
            return
        }
        let mayBeElsewhere = !placement.isLeg && placement != .pocket
        doubts = false
        guard features.vectorDeviation > Self.leastMovement else {
            fade()
            if placement == .unknown { odds = min(odds + Self.forgotten, 0) }
            return
        }
        if let swing, swing.isWide(features) {
            if swing.isFasterThanWalk {
                doubts = swing.goesRound
                add(swing.goesRound ? Self.mostOdds : -Self.mostOdds)
                return
            }
            doubts = swing.goesRound && !isWalking
        }
        guard let hypothesis else { return }
        if !mayBeElsewhere, hypothesis.oddsOfTurning(features, mayBeElsewhere: false, isSoon: true) > 0 {
            doubts = true
        }
        let least = hypothesis.hearsOtherFoot ? Self.leastFootStrength : Self.leastStrength
        guard hypothesis.strength > least * features.similarityShare else { return }
        // Of one whose place is not known, a runner's arm is likelier than a leg that moves so hard.
        let mayGoRound =
            hypothesis.swingOpposition > LegThresholds.leastQuickPedalOpposition
            && hypothesis.normOpposition < LegThresholds.mostQuickPedalNormOpposition
        let mayRun = mayBeElsewhere && !mayGoRound && features.vectorDeviation > RunThresholds.vectorDeviation
        let said = mayRun ? -Self.mostOdds : hypothesis.oddsOfTurning(features, mayBeElsewhere: mayBeElsewhere)
        add(mayBeElsewhere && isOpen && said > 0 ? Self.persistence * said : said)
    }

    /// Forgets what was for a pedal, because nothing moves as on one.
    mutating func fade() {
        odds = max(odds - Self.mostOdds, min(odds, 0))
    }

    mutating func add(_ said: Float) {
        odds = min(max(odds + min(max(said, -Self.mostOdds), Self.mostOdds), Self.least), Self.most)
    }

    mutating func reset() {
        odds = 0
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&odds, in: Self.least...Self.most)
    }
}

/// By what a shank or a foot that pedals is told from one that walks or runs.
///
/// Below the knee nothing is felt of the other foot, so that |a|, too, comes round once a stride, as on a pedal. But a
/// foot that walks stands for most of a stride and is thrown forward in the rest: half a stride later it does anything
/// but the opposite. A shank turns through 75° in a stride (D. A. Winter, "Biomechanics and Motor Control of Human
/// Movement"), and through less than half of that between saddle and pedal; a foot lands with a jolt; and a runner
/// throws it farther than a crank is long. The values lie between those of simulated walkers, who limp, run and climb,
/// and riders.
enum ShankThresholds {
    /// The least movement that says something, m/s².
    static let leastMovement: Float = 0.5
    /// How far the movement is the opposite of itself half a swing later, as a share of how alike it is a swing later:
    /// walkers have up to 0.3, who limp up to 0.58, runners mostly up to 0.75, and riders from 0.7 on.
    static let opposition: Float = 0.64
    static let oppositionSlope: Float = 8
    /// By how much more that is for what slow sampling takes of the similarity.
    static let slowOpposition: Float = 0.5
    /// The same of the angular velocity: walkers have up to 0.65, runners up to 0.85, and riders from 0.85 on.
    static let turningOpposition: Float = 0.74
    static let turningSlope: Float = 6
    /// The opposition of |a|: in 97 of 100 moments riders have more than 0.8, and walkers and runners less than 0.2; who
    /// limps has up to 0.8.
    static let normOpposition: Float = 0.62
    static let normSlope: Float = 4
    /// The share of |a| in the movement above which it speaks for a pedal, which lifts an upright shank as far as it
    /// moves it to and fro: walkers and runners have up to 0.6, and riders of 40 to 90 turns a minute more.
    static let upright: Float = 0.65
    static let uprightSlope: Float = 5
    /// The angle, rad, root mean square: walkers and runners have more than 0.3, nearly all riders less than 0.26.
    static let angle: Float = 0.3
    static let angleSlope: Float = 12
    /// The movement over the square of quick swings a second, m/s²·s²: riders' shanks have 4 to 5, runners' from 6.5
    /// on; a foot goes round with the whole crank, which gives 0.17·(2π)².
    static let shankReach: Float = 5.8
    static let footReach: Float = 8
    static let reachSlope: Float = 4
    static let quickSwingRate: Float = 1.1
    /// The roughness of |a| over that of a sine at twice the rate of the swings: most walkers have more than 1, and
    /// riders less than 0.5; and the rate, Hz, from which on it is asked, because in slower turns the machine shakes
    /// more than the leg moves.
    static let jolts: Float = 0.7
    static let joltedRate: Float = 0.9
    static let joltSlope: Float = 1.2
    /// The most that each of these signs says, beside the movement; and that a small one says for a pedal, because a
    /// runner's accelerometer may saturate.
    static let most: Float = 1.5
    static let mostOfSmall: Float = 0.4
    /// The odds for a walk from which on steps may begin.
    static let openingOdds: Float = 0.5
    /// The least share of |a| in the movement: an upright shank that only rocks has less.
    static let normShare: Float = 0.12
    /// From one peak of |a| to the next of the same walk, in steps: a foot is heard when it leaves and when it lands.
    static let footfallGaps: ClosedRange<Float> = 0.25...2.4
    /// What is first heard of a foot is that it leaves the ground, nearly a step before it lands, or right after the
    /// other one has landed: so many steps before one is whole in the mean.
    static let leadSteps: Float = 0.5
    /// A landing moves a shank by twice what a stride does in the mean: its deviation is so much longer above a share of
    /// that, s.
    static let moreFallSeconds: Float = 0.4
    /// The least similarity that says something, and evaluations that must agree where it is clear and known to walk:
    /// nothing else that a shank does is like one stride and the next.
    static let leastStrength: Float = 0.5
    static let clearEvaluations = 2
    /// A swing that takes longer than this, s, is a stride: no runner's step is as long.
    static let strideSeconds: Float = 0.45
}

extension PedalVersusWalkScore {
    /// Gathers what a sensor below the knee tells.
    mutating func takeShank(_ hypothesis: StepHypothesis?, _ features: SignalFeatures, _ placement: Placement) {
        guard features.vectorDeviation > ShankThresholds.leastMovement else {
            fade()
            return
        }
        guard let hypothesis, hypothesis.strength > ShankThresholds.leastStrength * features.similarityShare else {
            return
        }
        add(Self.odds(hypothesis, features, swing, placement))
    }

    /// The logarithm of the odds that what repeats itself below the knee is held by a pedal.
    private static func odds(
        _ hypothesis: StepHypothesis, _ features: SignalFeatures, _ swing: LegSwing?, _ placement: Placement
    ) -> Float {
        func said(_ odds: Float) -> Float { min(max(odds, -ShankThresholds.most), ShankThresholds.most) }
        let opposition = ShankThresholds.opposition + ShankThresholds.slowOpposition * (1 - features.similarityShare)
        var odds = ShankThresholds.oppositionSlope * (hypothesis.swingOpposition - opposition)
        let rate = hypothesis.swingRate
        let sine = sin(2 * .pi * rate * Tick.seconds)
        if rate > ShankThresholds.joltedRate {
            let smoothness = ShankThresholds.jolts * 4 * sine * sine / max(features.normRoughness, 1e-3)
            odds += said(ShankThresholds.joltSlope * log(smoothness))
        }
        if rate > ShankThresholds.quickSwingRate {
            let reach = placement == .foot ? ShankThresholds.footReach : ShankThresholds.shankReach
            let small = ShankThresholds.reachSlope * log(reach * rate * rate / features.vectorDeviation)
            odds += min(said(small), ShankThresholds.mostOfSmall)
        }
        odds += said(ShankThresholds.normSlope * (hypothesis.normOpposition - ShankThresholds.normOpposition))
        let uprightness = features.normDeviation / features.vectorDeviation - ShankThresholds.upright
        odds += said(max(ShankThresholds.uprightSlope * uprightness, 0))
        if let swing, abs(swing.rate - rate) < StepThresholds.agreement * rate {
            odds += said(ShankThresholds.turningSlope * (swing.turningOpposition - ShankThresholds.turningOpposition))
        }
        if swing != nil {
            odds += said(
                ShankThresholds.angleSlope * (ShankThresholds.angle - features.turningDeviation / (2 * .pi * rate)))
        }
        return odds
    }
}

extension Placement {
    /// Whether the sensor sits below the knee, where one foot alone is felt.
    var isBelowKnee: Bool { self == .ankle || self == .foot }

    /// How often a second one of the steps at a rate is heard there.
    func heardRate(_ rate: Float) -> Float { isBelowKnee ? 0.5 * rate : rate }
}

/// How a limb swings: whether half a swing later it turns the other way, and all that it feels moves the other way.
///
/// A leg on a pedal goes round, so that it does both. A walker's thigh swings forward faster than it goes back, and a
/// shank stops where the foot lands. A runner's thigh swings as purely as a rider's, but is thrown up with the body
/// at every step of both feet.
struct LegSwing {
    /// Swings a second.
    let rate: Float
    /// How far the angular velocity is the opposite of itself half a swing later, as a share of how alike it is a
    /// swing later.
    let turningOpposition: Float
    /// Whether the acceleration is the opposite of itself half a swing later.
    private var movesOpposite = false
    /// The least of the former on a pedal.
    private let leastOpposition: Float

    /// Nil when nothing turns to and fro in a curve of the angular velocity; or, below the knee, where a walker's swing
    /// has no opposite, when nothing repeats itself.
    init?(turning curve: borrowing LagCurve, placement: Placement) {
        let lags = placement.isLeg ? StrideThresholds.legLags : StrideThresholds.lags
        guard let peak = curve.firstStrongPeak(in: lags, share: StrideThresholds.peakShare) else { return nil }
        let opposite = -curve.value(at: 0.5 * peak.lag)
        guard opposite > LegThresholds.turningStrength || placement.isBelowKnee else { return nil }
        rate = 1 / (peak.lag * Tick.seconds)
        turningOpposition = opposite / max(peak.height, LegThresholds.leastRepetition)
        leastOpposition = placement.isBelowKnee ? LegThresholds.shankOpposition : LegThresholds.thighOpposition
    }

    /// Takes what the acceleration says of the same swing, in a curve of this weight, of a signal of which slow
    /// sampling left so much similarity.
    mutating func take(movement curve: borrowing LagCurve, weight: Float, similarityShare: Float) {
        let lag = 1 / (rate * Tick.seconds)
        let repetition = max(curve.value(at: lag), weight * LegThresholds.leastRepetition)
        let least = LegThresholds.movementOpposition + LegThresholds.slowMovementOpposition * (1 - similarityShare)
        movesOpposite = -curve.value(at: 0.5 * lag) > least * repetition
    }

    /// Whether it goes round as on a pedal.
    var goesRound: Bool {
        turningOpposition > leastOpposition && movesOpposite
    }

    /// Whether it is too fast for a walk, so that someone runs unless it goes round.
    var isFasterThanWalk: Bool { 2 * rate > StepThresholds.walkingRates.upperBound }

    /// Whether it is as wide as a leg's, and not a trunk's.
    func isWide(_ features: SignalFeatures) -> Bool {
        features.turningDeviation > LegThresholds.swingAngle * 2 * .pi * rate
    }
}

extension LagCurve {
    /// How far the signal turns into its opposite, as a share of the similarity of its repetitions; 1 where nothing
    /// repeats.
    var opposition: Float {
        guard let peak = highestPeak(in: LegThresholds.repetitionLags), peak.height > 0 else { return 1 }
        var lowest: Float = 0
        for lag in LegThresholds.oppositionLags { lowest = min(lowest, self[lag]) }
        return min(-lowest / peak.height, 1)
    }
}
