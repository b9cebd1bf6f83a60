#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// SplitMix64 (Steele, Lea & Flood 2014): the same numbers for the same seed everywhere.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// Normally distributed with mean 0 and deviation 1 (Box & Muller 1958).
    mutating func normal() -> Float {
        let radius = (-2 * log(Float.random(in: 1e-7...1, using: &self))).squareRoot()
        return radius * cos(Float.random(in: 0...(2 * .pi), using: &self))
    }

    mutating func normal3() -> SIMD3<Float> {
        SIMD3(normal(), normal(), normal())
    }

    mutating func direction() -> SIMD3<Float> {
        let vector = normal3()
        let length = (vector * vector).sum().squareRoot()
        return length > 1e-6 ? vector / length : SIMD3(0, 0, 1)
    }
}
