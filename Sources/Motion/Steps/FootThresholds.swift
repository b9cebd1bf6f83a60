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
