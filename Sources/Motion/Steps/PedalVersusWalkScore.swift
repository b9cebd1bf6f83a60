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
