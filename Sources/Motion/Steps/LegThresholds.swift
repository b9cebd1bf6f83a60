/// The thresholds by which a leg that pedals is told from one that walks, chosen by walks on record and simulated
/// rides.
enum LegThresholds {
    /// The similarity of |a| half a stride ago over that a stride ago that says nothing, and where an arm may hide the
    /// feet. Of walks on record nine in ten moments in pockets, bags and hands have more than 0, and at wrists more
    /// than -0.4; of legs that pedal nearly all have less than -0.3.
    static let opposite: Float = -0.15
    static let armOpposite: Float = -0.4
    /// How far the movement of a thigh on a pedal is the opposite of itself half a turn later, at least; less speaks as
    /// much for a body that both feet throw up. Of simulated riders 99 in 100 moments have 0.47 and more; of who climbs
    /// stairs with a hundred steps a minute nearly all have less, and of slower ones |a| alone tells the feet.
    static let leastPedalOpposition: Float = 0.45
    /// The same of a leg of which nobody told, on a pedal that moves it as far as a run moves an arm; and that of |a| at
    /// most, which of a body that bounces is its opposite after half a step. By simulated runners' wrists, which have up to
    /// 0.44 of the first, their pockets, which have 1 of the second, and riders' thighs.
    static let leastQuickPedalOpposition: Float = 0.48
    static let mostQuickPedalNormOpposition: Float = 0.85
    /// The similarity of the whole movement a step ago over that of |a| that says nothing: walks on record have up to
    /// 0.85, as trunk and limbs sway once a stride; and that of |a| half a step ago, below which a trunk bounces, and
    /// what that says.
    static let wholeMovement: Float = 0.94
    static let bounce: Float = -0.83
    /// By how much more that is for what slow sampling takes of the similarity.
    static let slowBounce: Float = 0.55
    static let oddsOfBounce: Float = -0.4
    /// By how much more alike two periods are than one where both feet differ.
    static let alternation: Float = 0.06
    /// Hardly anyone pedals faster than this, Hz, and everybody runs with more steps a second; their thighs swing as
    /// wide.
    static let fastestPedal: Float = 2.35
    /// What moves up and down alone, to within this share, is no leg: a thigh tilts with the pedal, and gravity in it.
    static let tiltingShare: Float = 0.01
    /// The least share of |a| in a movement up and down.
    static let bounceShare: Float = 0.5
    /// The most that |a| changes on a bouncing thigh, m/s², over the square of the steps a second: the rise and fall of a
    /// walker's body by 6 cm make 0.84, and simulated thighs on quick pedals 1.3 and more.
    static let highestRise: Float = 1.1
    /// The angle, rad, root mean square, by which a leg turns to and fro once a period at least, and a trunk at most,
    /// where that is one step: a thigh on a pedal by 0.25.
    static let legAngle: Float = 0.2
    static let trunkAngle: Float = 0.1
    /// Between the two, for what is known to turn to and fro: slow samples take a quarter of a quick swing away.
    static let swingAngle: Float = 0.15
    /// The roughness of |a|, over that of a sine at the step rate, above which feet are heard that an arm would hide
    /// otherwise.
    static let footRoughness: Float = 1.4
    static let footDeviation: Float = 1
    /// The least similarity of what one turn of a pedal repeats, and where arms may be: no walk is as even as a
    /// machine.
    static let likeness: Float = 0.8
    static let armLikeness: Float = 0.93
    /// The least similarity of |a|, a stride ago.
    static let normLikeness: Float = 0.6
    /// How far the angular velocity of a leg on a pedal is the opposite of itself half a turn later, at least, on the
    /// thigh and below the knee, as a share of how alike it is a turn later. A second harmonic of the share h makes
    /// it (1 − h²) / (1 + h²). The geometry of a leg on a pedal gives a thigh up to a quarter and a shank up to 0.43;
    /// a walker's have half and all of the first, by our estimate of the curves of hip and knee that D. A. Winter
    /// draws ("Biomechanics and Motor Control of Human Movement").
    static let thighOpposition: Float = 0.77
    static let shankOpposition: Float = 0.5
    /// The same of the acceleration. With a body that is thrown up by p² and a swing of q² it is (q² − p²) / (q² + p²):
    /// of 999 in 1000 moments simulated riders have more than 0.32 at any rate, and runners less than 0.23.
    static let movementOpposition: Float = 0.28
    /// By how much more that is for what slow sampling takes of the similarity: a bounce is twice as quick as a
    /// swing, and samples at 12.5 Hz leave half of it.
    static let slowMovementOpposition: Float = 1.2
    /// The movement of a runner's thigh, m/s², over the square of its swings a second, at least: one to and fro by 8
    /// cm. In a pocket nine in ten simulated riders have less than 1.5, and all runners more than 2.5.
    static let runningSwing: Float = 2.3
    /// Swings a second of a thigh from which on that is asked: in slower ones gravity, which turns with the thigh, is
    /// most of it, and |a| of a run tells both feet.
    static let runningSwingRate: Float = 1.55
    /// How far the movement of a runner's thigh is the opposite of itself half a swing later, at most, where no
    /// gyroscope tells; and by how much more that is for what slow sampling takes of the similarity. At 50 Hz simulated
    /// runners of 200 to 230 steps a minute have up to 0.34 and riders from 0.5 on, at 12.5 Hz up to 0.59 and from 0.67
    /// on.
    static let runningOpposition: Float = 0.4
    static let slowRunningOpposition: Float = 1.5
    /// The least opposition of the angular velocity that is no chance, and the least similarity that both are shares
    /// of: of who begins to pedal the last half turn is known better than the last turn.
    static let turningStrength: Float = 0.4
    static let leastRepetition: Float = 0.3
    /// What a likeness of 1 more or less says.
    static let slope: Float = 5
    /// Footfalls are rougher than pedalling.
    static let walkingRoughness: Float = 0.8
    /// Where sampling has taken the high notes away: the least roughness, and the most opposition that opens and that
    /// keeps open. A leg on a pedal goes round, so that it moves the other way half a turn later.
    static let leastWalkingRoughness: Float = 0.35
    static let openingOpposition: Float = 0.5
    static let roughOpposition: Float = 0.7
    static let closingOpposition: Float = 0.58
    /// Lags at which the opposite is looked for: up to 1.6 s.
    static let oppositionLags = 3...40
    /// Lags at which the repetition is looked for that it is compared with: 0.28…2.2 s.
    static let repetitionLags = 7...55

    /// Whether a leg walks, and does not pedal.
    static func isWalkingLeg(_ features: SignalFeatures, isOpen: Bool) -> Bool {
        features.roughness > walkingRoughness && features.opposition < roughOpposition
            || features.roughness > leastWalkingRoughness
                && features.opposition < (isOpen ? closingOpposition : openingOpposition)
    }
}

/// The thresholds by which the period of a step is found, and told from that of a stride.
enum StrideThresholds {
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
    /// Periods searched, in ticks: 0.28…2.5 s.
    static let lags = 7...62
    /// The same on a leg, which feels one foot alone: to 3.1 s.
    static let legLags = 7...77
    /// Where in a stride the other foot lands, and how similar |a| is to itself then, at least.
    static let otherFoot: ClosedRange<Float> = 0.35...0.65
    static let otherFootSimilarity: Float = 0
    /// The similarity of |a| from which a hard jolt that comes so slowly is one step.
    static let sureStepSimilarity: Float = 0.7
}

/// The thresholds by which feet are heard that land in slow steps, beside what else moves.
enum FootThresholds {
    /// The jolts of feet, in energies of a sine at the step rate, at which a trunk may walk: even a slow crank has
    /// fewer.
    static let jolts: Float = 3
    /// What twice as many are worth, as similarity of |a|; and the share of that which they are worth as similarity of
    /// all that moves.
    static let likeness: Float = 0.25
    static let strengthShare: Float = 0.4
    /// The least roughness of |a| where limbs move more than feet shake: of a sine's at the step rate, or enough at any
    /// rate.
    static let sineRoughnessShare: Float = 2
    static let roughness: Float = 0.2
    /// The jolts heard at an arm that swings in slow steps, in the same measure, at least; the change of |a| then,
    /// m/s², over the square of the step rate, a rise and fall by 6 to 18 mm; and the most movement over the same.
    /// Hands on handlebars and at work that is as slow have less of the second, or more of the third, nearly always.
    static let armJolts: Float = 1
    static let armNorm: ClosedRange<Float> = 0.17...0.5
    static let mostArmMovement: Float = 1.6
    /// The same change where nobody told the place, and feet are heard as well as on a trunk: it may be one.
    static let joltedNorm: ClosedRange<Float> = 0.1...0.5
    /// How much moves, m/s², where an arm may be and a slow walk is looked for by its jolts: simulated wrists, pockets
    /// and thighs move by less than a hand at work, and by more than a table that is knocked.
    static let slowMovement: ClosedRange<Float> = 0.06...2
    /// A change of |a|, m/s², that is little more than what standing makes: impacts tell then when steps begin and end.
    static let softNormDeviation: Float = 0.1
    /// From one of those to the next, in steps, and how hard they are, in what is usual.
    static let impactGaps: ClosedRange<Float> = 0.3...2.4
    static let impactShare: Float = 1.2
}

/// The thresholds of single footfalls: of those that short bouts are counted by, and of the soft ones at the edges of a
/// walk.
enum FootfallThresholds {
    /// The least height of a peak of the smoothed |a|, its least deviation, m/s², and the share of |a| in the movement
    /// about it.
    static let height: Float = 0.3
    static let deviation: Float = 0.3
    static let normShare: Float = 0.3
    /// The height and the deviation of soft first steps on a trunk, m/s².
    static let softHeight: Float = 0.12
    /// So many footfalls make a bout at least, however likely; and on an arm whose bearer has not walked of late.
    static let leastCount = 4
    static let leastFirstArmCount = 6
    /// So many soft steps begin or end a walk at most.
    static let mostSoftSteps = 2
    /// The first and the last step: the time to the next to them, in intervals of the others, and the height over their
    /// mean.
    static let edgeGaps: ClosedRange<Float> = 0.7...1.6
    static let edgeHeights: ClosedRange<Float> = 0.4...1.5
    /// The longest time from one to the next, µs.
    static let longestGapMicroseconds: Int64 = 1_600_000
    /// The longest mean interval where gestures are felt, s: arms, too, go up and down once a second.
    static let longestArmInterval: Float = 1
    /// From one footfall to the next of the same walk, in intervals of its rate; and on an arm, which swings once in
    /// two steps: one foot may be heard, and the other not.
    static let gaps: ClosedRange<Float> = 0.5...1.6
    static let armGaps: ClosedRange<Float> = 0.5...2.4
    /// A footfall so soon after what is counted is counted, µs.
    static let marginMicroseconds: Int64 = 250_000
}
