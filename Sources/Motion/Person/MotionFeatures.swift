internal import CMotion

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The features of a moment: 521 numbers.
///
/// Six curves of ``Autocorrelation`` by period, eleven levels (how strongly and roughly the sensor moves), and six
/// numbers of the best period, for states without a period.
enum MotionFeatures {
    /// Ticks of a level around the moment: 1 s, 2.4 s, 4 s.
    static let secondTicks = 26
    static let middleTicks = 60
    static let fourSecondTicks = 100
    /// The periods of ``Best``: 0.23 s to 2.9 s.
    static let bestPlaces = 14..<58
    /// Noise floors of levels: m/s², m/s² from tick to tick, rad/s.
    static let levelFloor: Float = 0.05
    static let jerkFloor: Float = 0.02
    static let turningFloor: Float = 0.02

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
            to: UnsafeMutableBufferPointer(start: features + curveCount, count: levelCount))
        motion_best(
            features + bestPlaces.lowerBound, Autocorrelation.stride, features + curveCount + levelCount)
    }

    /// Writes the levels around a row. Those of absent sensors are 0.
    static func writeLevels(
        _ window: EvaluatedWindow, _ sensors: SensorSet, around row: Int, to levels: UnsafeMutableBufferPointer<Float>
    ) {
        let second = meanSquares(window, around: row, ticks: secondTicks)
        let middle = meanSquares(window, around: row, ticks: middleTicks)
        let four = meanSquares(window, around: row, ticks: fourSecondTicks)
        levels.update(repeating: 0)
        if sensors.contains(.acceleration) {
            let (norm4s, vector4s) = (level(four.norm), level(four.vector))
            let rough = Roughness(window, around: row)
            set(.norm1s, level(second.norm), levels)
            set(.norm4s, norm4s, levels)
            set(.vector1s, level(second.vector), levels)
            set(.vector4s, vector4s, levels)
            set(.normJerk, level(rough.normChange, jerkFloor) - norm4s, levels)
            set(.vectorJerk, level(rough.vectorChange, jerkFloor) - vector4s, levels)
            set(.envelope, level(middle.envelope, jerkFloor) - norm4s, levels)
            set(.crest, level(rough.normFourth.squareRoot()) - norm4s, levels)
            set(.normShare, norm4s - vector4s, levels)
        }
        if sensors.contains(.angularVelocity) {
            set(.turning1s, level(second.turning, turningFloor), levels)
            set(.turning4s, level(four.turning, turningFloor), levels)
        }
    }

    private static func set(_ level: Level, _ value: Float, _ levels: UnsafeMutableBufferPointer<Float>) {
        levels[level.rawValue] = value
    }

    /// The logarithm of the root of a mean square.
    private static func level(_ meanSquare: Float, _ floor: Float = levelFloor) -> Float {
        0.5 * log(max(meanSquare, floor * floor))
    }

    private struct MeanSquares {
        let norm, vector, envelope, turning: Float
    }

    /// The rows within a number of ticks around one.
    private static func rows(around row: Int, ticks: Int) -> Range<Int> {
        (row - ticks / 2)..<(row + ticks / 2)
    }

    private static func meanSquares(_ window: EvaluatedWindow, around row: Int, ticks: Int) -> MeanSquares {
        let energy = window.energy(rows(around: row, ticks: ticks)) / Float(ticks)
        return MeanSquares(norm: energy.x, vector: energy.y, envelope: energy.z, turning: energy.w)
    }

    /// Mean squares of the change from tick to tick, and of |a|² itself, over 2.4 s around a row.
    private struct Roughness {
        let normChange, vectorChange, normFourth: Float

        init(_ window: EvaluatedWindow, around row: Int) {
            var (changed, fourth) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
            for row in rows(around: row, ticks: middleTicks) {
                let moved = window.moved(row)
                let change = moved - window.moved(row &- 1)
                changed += change * change
                let square = moved * moved
                fourth += square * square
            }
            let share = 1 / Float(middleTicks)
            (normChange, vectorChange) = (changed.x * share, (changed.y + changed.z + changed.w) * share)
            normFourth = fourth.x * share
        }
    }
}
