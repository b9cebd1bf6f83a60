internal import CMotion

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
