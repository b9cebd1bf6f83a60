/// How uneven a walker's left and right steps are.
///
/// Of people who walk again after a stroke, half step unevenly, at ratios of the two sides' times from 1.1 to above 2
/// (K. K. Patterson et al., "Gait asymmetry in community-ambulating stroke survivors", Arch. Phys. Med. Rehabil. 89
/// (2008) 304), and set the weak foot down with less force (C. M. Kim, J. J. Eng, "Symmetry in vertical ground reaction
/// force is accompanied by symmetry in temporal but not distance variables of gait in persons with stroke", Gait
/// Posture 18 (2003) 23).
public struct Limp: Sendable, Hashable {
    /// The share of a stride that the shorter of its two steps takes, `0.25 ... 0.5`.
    public let shortStepShare: Double
    /// How strongly the weak foot, which ends the longer step, is set down beside the other, `0 ... 1`.
    public let weakFootStrength: Double

    /// Even steps.
    public static let none = Limp(shortStepShare: 0.5, weakFootStrength: 1)

    /// A limp from its parts, which are brought into their ranges.
    public init(shortStepShare: Double, weakFootStrength: Double) {
        self.shortStepShare = min(max(shortStepShare, 0.25), 0.5)
        self.weakFootStrength = min(max(weakFootStrength, 0), 1)
    }

    /// By how much of an even step's time a step is longer or shorter.
    func lengthening(isWeak: Bool) -> Double {
        (isWeak ? 1 : -1) * (1 - 2 * shortStepShare)
    }

    /// What a step's push and contact are multiplied by.
    func strength(isWeak: Bool) -> Double {
        isWeak ? weakFootStrength : 1
    }
}
