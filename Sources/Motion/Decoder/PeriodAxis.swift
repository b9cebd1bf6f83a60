#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The periods that features and states are defined on: a logarithmic grid of 24 to an octave, so that half, double and
/// one and a half times a period are a fixed number of places away.
package enum PeriodAxis {
    /// Places of one octave.
    package static let placesPerOctave = 24
    /// Places of a factor of 1.5, to the nearest.
    static let placesPerFifth = 14
    /// The number of periods: 0.106 s to 3.2 s.
    package static let count = 119
    /// The first period, in ticks.
    private static let shortestTicks: Float = 2.65

    /// The places of a step's period, 0.23 s to 1.45 s: 41 to 260 steps a minute.
    package static let stepPlaces = 27..<91
    /// The places of a crank's period, 0.42 s to 2.5 s: 24 to 142 rpm.
    package static let pedalPlaces = 48..<110

    /// The periods in ticks of 40 ms.
    static let ticks: [Float] = (0..<count).map { shortestTicks * exp2(Float($0) / Float(placesPerOctave)) }

    /// The period in seconds at a place that may lie between two.
    static func seconds(atPlace place: Float) -> Float {
        shortestTicks * exp2(place / Float(placesPerOctave)) * Tick.seconds
    }
}
