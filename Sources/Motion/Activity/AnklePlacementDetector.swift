/// Decides whether a sensor whose place nobody told is worn below the knee.
///
/// A foot that walks is thrown as far as a stride is long, lands with a jolt, and then stands for longer than it moves:
/// no other limb goes so far, and none that goes far rests so long. A shank on a pedal goes round with it, and farther
/// than a thigh or a hand does on a bike. While either repeats itself the odds grow, for some seconds, and they fall
/// while something repeats itself that moves less far. The values lie between those of simulated walkers and riders
/// below the knee and of walkers, riders and hands at work elsewhere.
struct AnklePlacementDetector {
    /// The logarithm of the odds, what an evaluation adds, and from where on they decide.
    private static let most: Float = 6
    private static let least: Float = -3
    private static let step: Float = 0.5
    private static let decided: Float = 3
    /// The least similarity that says something, and of quick swings.
    private static let leastStrength: Float = 0.5
    private static let quickStrength: Float = 0.8
    /// The movement over the square of the swings a second, m/s²·s²: shanks that walk have more than 4.7, runners' wrists
    /// as well; quick pedals give a shank between 4.5 and 5.9, and a thigh hardly ever more than 4.4; and less than the
    /// last has none.
    private static let walkReach: Float = 4.7
    private static let runReach: Float = 6
    private static let pedalReach: ClosedRange<Float> = 4.4...6.2
    private static let leastReach: Float = 3.5
    /// The same of |a| in a walk, where a thigh on stairs has 1.8 to 3.2 and on the flat less, and in a run.
    private static let walkNormReach: Float = 1.8
    private static let runNormReach: Float = 3
    /// How far the movement is the opposite of itself half a swing later: a walk's at most, that of a run, where wrists and
    /// thighs of who moves as far have less, and a pedal's at least.
    private static let walkOpposition: Float = 0.55
    private static let runOpposition: ClosedRange<Float> = 0.35...0.85
    private static let pedalOpposition: Float = 0.65
    /// The same of |a| in a walk, where a pocket that feels both feet has -0.5 and less, and on a pedal.
    private static let walkNormOpposition: Float = -0.4
    private static let pedalNormOpposition: Float = 0.5
    /// The movement of the quietest fifth of the last 3 s over that of all of it: a foot that walks has less than 0.48,
    /// and a runner's wrist more than 0.58.
    private static let walkStillness: Float = 0.52
    /// The share of the movement that moves still: of what has ended the quietest moments say nothing.
    private static let freshShare: Float = 0.7
    /// The roughness of movement and |a|: feet that land have more than 0.3 and 0.5, and arms that go as far, as on a quick
    /// walk, at oars or with a paint roller, hardly ever.
    private static let footRoughness: Float = 0.3
    private static let footNormRoughness: Float = 0.45
    /// The swings a second from which on a run tells a shank, and a pedal: in slower turns gravity, which turns with any
    /// limb, is more than what throws it.
    private static let runRateHz: Float = 1.15
    private static let pedalRateHz: Float = 0.9

    /// Whether it is taken to be.
    private(set) var isBelowKnee = false
    private var odds: Float = 0

    /// What repeats itself: its rate, how like itself it is then, and how far movement and |a| are the opposite of that
    /// half as long after, as shares of it.
    struct Swing {
        let rateHz: Float
        let strength: Float
        let opposition: Float
        let normOpposition: Float

        init(_ hypothesis: StepHypothesis) {
            rateHz = hypothesis.swingRate
            strength = hypothesis.strength
            opposition = hypothesis.swingOpposition
            normOpposition = hypothesis.normOpposition
        }
    }

    /// Takes what repeats itself, and the movement of the quietest moments of late over that of all.
    mutating func take(_ swing: Swing, _ features: SignalFeatures, stillness: Float) {
        guard swing.strength > Self.leastStrength * features.similarityShare else { return }
        let perSquare = 1 / (swing.rateHz * swing.rateHz)
        let (reach, normReach) = (features.vectorDeviation * perSquare, features.normDeviation * perSquare)
        let isFresh = features.shortVectorDeviation > Self.freshShare * features.vectorDeviation
        let hearsFoot =
            features.roughness > Self.footRoughness && features.normRoughness > Self.footNormRoughness
        let isWalk = Self.walks(swing, reach: reach, normReach: normReach, stillness: stillness)
        let isRun = Self.runs(swing, reach: reach, normReach: normReach)
        if isFresh && hearsFoot && (isWalk || isRun) || Self.pedals(swing, reach: reach) {
            odds = min(odds + Self.step, Self.most)
        } else if reach < Self.leastReach {
            odds = max(odds - Self.step, Self.least)
        }
        if isBelowKnee ? odds <= -Self.decided : odds >= Self.decided { isBelowKnee.toggle() }
    }

    private static func walks(_ swing: Swing, reach: Float, normReach: Float, stillness: Float) -> Bool {
        reach > walkReach && normReach > walkNormReach && swing.opposition < walkOpposition
            && swing.normOpposition > walkNormOpposition && stillness < walkStillness
    }

    private static func runs(_ swing: Swing, reach: Float, normReach: Float) -> Bool {
        swing.rateHz > runRateHz && swing.strength > quickStrength && reach > runReach && normReach > runNormReach
            && runOpposition.contains(swing.opposition)
    }

    private static func pedals(_ swing: Swing, reach: Float) -> Bool {
        swing.rateHz > pedalRateHz && swing.strength > quickStrength && pedalReach.contains(reach)
            && swing.opposition > pedalOpposition && swing.normOpposition > pedalNormOpposition
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&isBelowKnee)
        coder.code(&odds, in: Self.least...Self.most)
    }
}
