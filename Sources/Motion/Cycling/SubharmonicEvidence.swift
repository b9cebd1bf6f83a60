#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the energies of lines say about a found period: a whole revolution, or half of one.
///
/// In noise the energy of an average, over that of its neighbours, follows Fisher's F distribution; a line multiplies
/// it. How strong the crank's own line is beside the found one nobody knows: amplitude ratios from 1 to 12 are as
/// likely as each other, what is heard speaks for and against each of them, and the likelihood of half is the mean of
/// theirs. So a line that is not seen where only a strong one would show says no more than that it is no strong one.
struct SubharmonicEvidence {
    /// Degrees of freedom, in pairs: of a line along three axes, and of its two neighbours, which noise that is not
    /// white and a phase that jitters make less certain than they are in theory.
    private static let lineFreedom: Float = 2
    private static let asideFreedom: Float = 4
    /// The found line's energy over the crank's.
    private static let ratios = SIMD8<Float>(1, 2, 4, 8, 16, 32, 64, 128)
    /// The energy of the third harmonic over that of the crank's line.
    private static let thirdShare: Float = 0.15
    /// Earlier evidence gathers over 20 s, a look every 2 s, and is no surer than this; nor is a single look.
    private static let gathering: Float = 0.1
    private static let most: Float = 8

    /// What was gathered of each ratio: natural logarithms of odds.
    private var gathered = EightFloats()
    /// The same with what is heard now.
    private var present = EightFloats()

    /// The natural logarithm of the ratio of the likelihoods of half and of whole.
    var odds: Float {
        var sum: Float = 0
        for lane in 0..<8 { sum += exp(present.vector[lane]) }
        return log(sum / 8)
    }

    /// What is remembered beyond the bout, with no more than so much certainty.
    mutating func carry(most: Float) {
        let gathered = gathered.vector
        self.gathered.vector = gathered.clamped(lowerBound: .init(repeating: -most), upperBound: .init(repeating: most))
        present = self.gathered
    }

    /// Takes a look at the lines' energies.
    mutating func look(found: Float, half: Float, threeHalves: Float, asideHalf: Float, asideThreeHalves: Float) {
        guard asideHalf > 0, asideThreeHalves > 0 else { return }
        var now = SIMD8<Float>.zero
        for lane in 0..<8 {
            let expected = found / Self.ratios[lane]
            now[lane] =
                Self.odds(half / asideHalf, expected: expected / asideHalf)
                + Self.odds(threeHalves / asideThreeHalves, expected: Self.thirdShare * expected / asideThreeHalves)
        }
        let limit = SIMD8<Float>(repeating: Self.most)
        now.clamp(lowerBound: -limit, upperBound: limit)
        present.vector = gathered.vector + now
        gathered.vector = (gathered.vector + now * Self.gathering).clamped(lowerBound: -limit, upperBound: limit)
    }

    /// The logarithm of the odds for one line that is `energy` times as strong as its neighbours, where `expected`
    /// times is expected beside noise.
    private static func odds(_ energy: Float, expected: Float) -> Float {
        let share = lineFreedom / asideFreedom * energy
        let ratio = (1 + share) / (1 + share / (1 + expected))
        return (lineFreedom + asideFreedom) * log(ratio) - lineFreedom * log(1 + expected)
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        gathered.transfer(&coder)
        present.transfer(&coder)
    }
}
