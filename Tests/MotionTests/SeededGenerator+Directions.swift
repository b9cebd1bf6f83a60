import Seeded

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension SeededGenerator {
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
