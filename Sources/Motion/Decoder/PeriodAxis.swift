#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The periods that features and states are defined on: a logarithmic grid of 12 to an octave, so that half, double and
/// one and a half times a period are a fixed number of places away.
package enum PeriodAxis {
    /// Places of one octave.
    package static let placesPerOctave = 12
    /// The number of periods: 0.106 s to 3.2 s.
    package static let count = 60
    /// The first period, in ticks.
    private static let shortestTicks: Float = 2.65

    /// The places of a step's period, 0.24 s to 1.43 s: 42 to 252 steps a minute.
    package static let stepPlaces = 14..<46
    /// The places of a crank's period, 0.42 s to 2.5 s: 24 to 142 rpm.
    package static let pedalPlaces = 24..<56

    /// The periods in ticks of 40 ms.
    static let ticks: [Float] = (0..<count).map { shortestTicks * exp2(Float($0) / Float(placesPerOctave)) }

    /// The period in seconds at a place that may lie between two.
    static func seconds(atPlace place: Float) -> Float {
        shortestTicks * exp2(place / Float(placesPerOctave)) * Tick.seconds
    }
}
