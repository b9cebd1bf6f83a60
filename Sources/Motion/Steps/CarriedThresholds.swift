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
