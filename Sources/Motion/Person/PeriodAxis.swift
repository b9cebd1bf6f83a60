#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The periods of features and states: a logarithmic grid of 12 to an octave, so that half, double and one and a half
/// times a period are a fixed number of places away.
package enum PeriodAxis {
    /// Places of one octave: 6 % from one to the next.
    package static let placesPerOctave = 12
    /// The number of periods: 0.106 s to 3.2 s, half of the quickest step to the longest turn.
    package static let count = 60
    /// The first period, in ticks.
    private static let shortestTicks: Float = 2.65

    /// The places of a step's period, 0.24 s to 2.3 s: 26 to 252 steps a minute.
    package static let stepPlaces = 14..<54
    /// The places of a crank's period, 0.3 s to 2.9 s: 21 to 200 rpm.
    package static let pedalPlaces = 18..<58

    /// Octaves of the period at a place above 0.6 s.
    static func octaves(atPlace place: Float) -> Float { (place - centrePlace) / Float(placesPerOctave) }
    /// The place of 0.6 s.
    static let centrePlace: Float = 30

    /// The periods in ticks of 40 ms.
    static let ticks: [Float] = (0..<count).map { shortestTicks * exp2(Float($0) / Float(placesPerOctave)) }

    /// The period in seconds at a place that may lie between two.
    static func seconds(atPlace place: Float) -> Float {
        shortestTicks * exp2(place / Float(placesPerOctave)) * Tick.seconds
    }
}
