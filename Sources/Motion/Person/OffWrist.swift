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
