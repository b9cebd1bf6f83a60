#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The one function of the platform that the tests' spectra need.
enum Trigonometry {
    static func cosine(_ radians: Double) -> Double { cos(radians) }
}
