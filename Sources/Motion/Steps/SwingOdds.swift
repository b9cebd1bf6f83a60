#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The odds that swings of a shank which follow one another are strides: logarithms of how much likelier each sign is
/// of a walk than of a standing leg that is moved about, or of one on a pedal, added up.
///
/// The values are by simulated walkers' bouts of 3 to 20 steps, standing legs that kick and are set down, and short
/// rides, at 12.5 to 50 Hz; movements are those within 0.4 to 5 Hz, in the middle over 0.4 s.
enum SwingOdds {
    /// What they are before any sign was seen.
    static let before: Float = -5
    /// The most that swings say which come evenly, like one another and with rests between: a game may be as even.
    static let mostRhythm: Float = 5
    /// So many swings are strides at least; fewer where they come as fast as in a walk of late.
    static let leastCount = 3
    static let leastKnownCount = 2
    /// The longest time from one to the next, s: that of 50 steps a minute.
    static let longestSeconds: Float = 2.4
    /// The least movement of a swing, m/s².
    static let leastHeight: Float = 2
    /// The most that is left of the movement between two.
    static let mostRest: Float = 0.75

    /// From one swing to the next of the same walk, in strides at its rate, and the height over that of the next.
    static let gaps: ClosedRange<Float> = 0.65...1.5
    static let ratios: ClosedRange<Float> = 0.4...2.5

    /// So many steps before the middle of its first swing a bout begins, in the mean of bouts that begin with this foot
    /// and with the other.
    static let leadSteps: Float = 0.2

    /// A height over the mean one.
    static func ofLikeness(_ ratio: Float) -> Float {
        let deviation = log(ratio)
        return max(0.6 - deviation * deviation / (2 * 0.35 * 0.35), -1.2)
    }

    /// How far an interval is from the mean one, as a share of that.
    static func ofEvenness(_ deviation: Float) -> Float {
        max(1 - deviation * deviation / (2 * 0.13 * 0.13), -2)
    }

    /// The movement in the middle half of the time between two swings, over that of the smaller one, and that time, s: a
    /// foot that walks stands then, the longer the slower it walks, and one on a pedal goes round. Nine in ten walkers
    /// have less than 0.56 at 100 steps a minute and 0.47 at 75; nine in ten riders more than 0.6 and 0.75.
    static func ofStance(_ share: Float, interval: Float) -> Float {
        let most = 0.62 - 0.25 * (interval - 1)
        return min(max(10 * (most - share), -2), 1.5)
    }

    /// The mean time from one to the next, s: most people walk at 105 steps a minute.
    static func ofPace(_ interval: Float) -> Float {
        let deviation = log(interval / 1.14)
        return max(0.6 - 5 * deviation * deviation, -3)
    }

    /// Whether someone walked as fast a short while ago, who stands and walks on.
    static func isKnown(_ interval: Float, recentRate: Float) -> Bool {
        abs(0.5 * interval * recentRate - 1) < StepThresholds.agreement
    }

    /// What that says.
    static let ofRecall: Float = 1

    /// The movement of the swings, m/s²: a foot that walks is thrown farther than a crank is long, which the square of
    /// the interval tells, and faster than a leg that is only moved about.
    static func ofMovement(_ height: Float, interval: Float) -> Float {
        let far = 6 * log(height * interval * interval / 6.5)
        let fast = 6 * log(height / 3.1)
        return min(max(far, -4), 1) + min(max(fast, -4), 1)
    }

    /// The share of |a| in the movement: a shank that only turns about the knee has less than a walker's, and one that
    /// is lifted upright, as by a foot that taps, more.
    static func ofShare(_ share: Float) -> Float {
        min(max(6 * log(share / 0.2), -3), 1) - min(max(12 * (share - 0.6), 0), 4)
    }

    /// The root with so large an index.
    static func root(_ value: Float, _ index: Float) -> Float { exp(log(value) / index) }
}
