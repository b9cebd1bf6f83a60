#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Whether a device of which no placement is told is away from the wrist, where two seconds of steps are sure; at a wrist,
/// hands feign them for four.
///
/// A logistic regression (Bishop, section 4.3.2) of how roughly the sensor moves in a bout and how fast, and what the
/// device's former walks said: a phone that was carried all day is a phone.
struct OffWrist {
    /// The most that evidence weighs: that of a told placement other than the wrist.
    static let mostWeight: Float = 4
    /// The gain of the past, a moment of 0.4 s: ten minutes of walking. The limit of log odds.
    static let gain: Float = 1 / 1500
    static let most: Float = 4

    /// The sum of log odds over the moments of the bout, and their number.
    private var odds: Float = 0
    private var count: Float = 0
    /// The slow mean of the log odds of sure walking. It outlives the signal.
    private var past: Float = 0

    /// Takes a moment of steps, and returns what its evidence weighs.
    /// - Parameter place: The place of the period of the steps.
    mutating func weight(
        _ window: EvaluatedWindow, row: Int, place: Float, isSure: Bool, _ settings: StateDecoder.Settings
    ) -> Float {
        let now = Self.odds(window, row: row, place: place, settings.offWrist)
        guard !isSure else {
            past += (now - past) * Self.gain
            return 1
        }
        odds += now
        count += 1
        return 1 + (Self.mostWeight - 1) / (1 + exp(-odds / count - past))
    }

    /// Ends the bout.
    mutating func endBout() {
        (odds, count) = (0, 0)
    }

    private static func odds(_ window: EvaluatedWindow, row: Int, place: Float, _ weights: EightFloats) -> Float {
        withUnsafeTemporaryAllocation(of: Float.self, capacity: MotionFeatures.levelCount) { levels in
            guard let levels = levels.baseAddress else { return 0 }
            MotionFeatures.writeLevels(window, .acceleration, around: row, to: levels)
            func level(_ level: MotionFeatures.Level) -> Float { levels[level.rawValue] }
            let features = SIMD8(
                1, level(.norm4s), level(.normJerk), level(.vectorJerk), level(.envelope), level(.crest),
                level(.normShare), PeriodAxis.octaves(atPlace: place))
            return min(max((features * weights.vector).sum(), -most), most)
        }
    }
}

/// Whether a sensor of six axes of which no placement is told sits on a shin or a foot: it turns as fast as a leg swings, and
/// is shaken as hard as a foot lands. Who wears it is then counted with the weights of a leg.
///
/// A logistic regression (Bishop, section 4.3.2) of the levels of a moment and their products, smoothed over two seconds, so
/// that a blow of a hand is none.
struct BelowKnee {
    /// The gain of a moment of 0.4 s, the limit of its log odds, and the mean log odds from which on it is a leg.
    static let gain: Float = 0.25
    static let most: Float = 4
    static let least: Float = 1
    /// The levels that tell it.
    private static let levels: [MotionFeatures.Level] = [
        .norm4s, .normJerk, .vectorJerk, .envelope, .crest, .normShare, .turning4s,
    ]
    /// Weights of the products of each of 1 and the levels with itself and those after it. Fitted to 7,700 moments of walks with
    /// a sensor at a foot or an ankle, most of them simulated, and 103,000 of walks with one elsewhere, of work, exercises
    /// and rides; every kind of them weighs the same, and hands and exercises four times as much.
    private static let weights: [Float] = [
        4.031, 3.395, -4.093, -1.131, 2.907, -0.4286, -6.157, 0.8065,
        -2.775, 0.7338, 1.979, -2.635, -1.171, 3.104, 6.057,
        -3.353, -0.2399, 2.044, 5.665, 0.1755, 1.803,
        -7.183, 6.304, 4.796, 2.808, 2.511,
        -6.969, -2.159, 6.601, -7.133,
        -4.799, -4.499, -1.877,
        -7.438, 3.69,
        -8.306,
    ]

    /// The running mean of the log odds.
    private var odds: Float = 0

    var isLikely: Bool { odds > Self.least }

    /// Takes a moment.
    /// - Parameter levels: Its levels, as ``MotionFeatures`` has them.
    mutating func take(_ levels: UnsafePointer<Float>) {
        odds += (min(max(Self.logOdds(levels), -Self.most), Self.most) - odds) * Self.gain
    }

    /// The weights in rows of eight, of which the first ones are 0.
    private static let rows: [SIMD8<Float>] = {
        var rest = weights[...]
        return (0..<8).map { first in
            var row = SIMD8<Float>.zero
            for second in first..<8 { row[second] = rest.removeFirst() }
            return row
        }
    }()

    private static func logOdds(_ levels: UnsafePointer<Float>) -> Float {
        func level(_ number: Int) -> Float { levels[Self.levels[number].rawValue] }
        let factors = SIMD8(1, level(0), level(1), level(2), level(3), level(4), level(5), level(6))
        var sums = SIMD8<Float>.zero
        rows.withUnsafeBufferPointer { for first in 0..<8 { sums += $0[first] * factors[first] } }
        return (sums * factors).sum()
    }
}
