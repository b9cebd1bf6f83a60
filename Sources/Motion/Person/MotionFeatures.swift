internal import CMotion

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

/// The features of a moment: 521 numbers.
///
/// Six curves of ``Autocorrelation`` by period, eleven levels (how strongly and roughly the sensor moves), and six
/// numbers of the best period, for states without a period.
enum MotionFeatures {
    /// The periods of ``Best``: 0.23 s to 2.9 s.
    static let bestPlaces = 14..<58
    /// Floats of all curves.
    static let curveCount = Autocorrelation.Curve.allCases.count * Autocorrelation.stride
    /// Numbers of ``Level``.
    static let levelCount = Level.allCases.count
    /// Numbers of ``Best``.
    static let bestCount = Best.allCases.count
    /// Floats of all features: the curves, the levels, the best periods.
    static let count = curveCount + levelCount + bestCount

    /// Root mean squares around the moment as logarithms, or their ratios.
    enum Level: Int, CaseIterable {
        case norm1s, norm4s, vector1s, vector4s
        /// The change from tick to tick over 2.4 s, relative to the level of 4 s.
        case normJerk, vectorJerk
        /// Envelope relative to |a|, crest factor of |a|, |a| relative to the acceleration vector.
        case envelope, crest, normShare
        case turning1s, turning4s
    }

    /// The highest value of a curve over the periods of people, or its mean.
    enum Best: Int, CaseIterable {
        case norm, vector, envelope, turning, normMean, vectorMean
    }

    /// Writes the features of the moment ``Autocorrelation/delayTicks`` ago. Those of absent sensors are 0.
    static func write(
        _ window: EvaluatedWindow, _ autocorrelation: borrowing Autocorrelation, _ sensors: SensorSet,
        to features: UnsafeMutablePointer<Float>, _ memory: UnsafeMutablePointer<Float>
    ) {
        autocorrelation.write(window, to: features, memory)
        writeLevels(
            window, sensors, around: SignalWindow.tickCount - Autocorrelation.delayTicks,
            to: features + curveCount)
        motion_best(
            features + bestPlaces.lowerBound, Autocorrelation.stride, features + curveCount + levelCount)
    }

    /// Writes the levels around a row. Those of absent sensors are 0.
    static func writeLevels(
        _ window: EvaluatedWindow, _ sensors: SensorSet, around row: Int, to levels: UnsafeMutablePointer<Float>
    ) {
        motion_strengths(
            window.rows, window.cumulativeSums, row, sensors.contains(.acceleration) ? 1 : 0,
            sensors.contains(.angularVelocity) ? 1 : 0, levels)
    }
}
