#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the energies of lines say about a found period: a whole revolution, or half of one.
///
/// In noise the energy of an average, over that of its neighbours, follows Fisher's F distribution; a line multiplies it. How
/// strong the crank's own line is beside the found one nobody knows: amplitude ratios from 1 to 12 are as likely as each
/// other, and the likelihood of half is the mean of theirs.
struct HalfLineEvidence {
    /// Degrees of freedom, in pairs: of a line along three axes, and of its two neighbours, which noise that is not white
    /// and a phase that jitters make less certain than they are in theory.
    private static let lineFreedom: Float = 3
    private static let asideFreedom: Float = 6
    /// The found line's energy over the crank's.
    private static let ratios: [Float] = [1, 2.5, 6, 16, 40, 110]
    /// The energy of the third harmonic over that of the crank's line.
    private static let thirdShare: Float = 0.15
    /// No single look at a signal is surer than this.
    private static let most: Float = 12

    let found: Float
    let half: Float
    let threeHalves: Float
    let asideHalf: Float
    let asideThreeHalves: Float

    /// The natural logarithm of the ratio of the likelihoods of half and of whole.
    var odds: Float {
        guard asideHalf > 0, asideThreeHalves > 0 else { return 0 }
        var sum: Float = 0
        for ratio in Self.ratios {
            let first = Self.odds(half / asideHalf, expected: found / ratio / asideHalf)
            let third = Self.odds(
                threeHalves / asideThreeHalves, expected: Self.thirdShare * found / ratio / asideThreeHalves)
            sum += exp(min(max(first + third, -30), 30))
        }
        return min(max(log(sum / Float(Self.ratios.count)), -Self.most), Self.most)
    }

    /// The same of one line that is `energy` times as strong as its neighbours, where `expected` times is expected beside noise.
    private static func odds(_ energy: Float, expected: Float) -> Float {
        let share = lineFreedom / asideFreedom * energy
        return (lineFreedom + asideFreedom) * (log(1 + share) - log(1 + share / (1 + expected)))
            - lineFreedom * log(1 + expected)
    }
}
