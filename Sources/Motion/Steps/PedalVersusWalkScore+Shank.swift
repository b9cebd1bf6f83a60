#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

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
