#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The swings of a leg that is felt below the knee, of the last 12.8 s: a few strides across a room are over before
/// their period is sure.
///
/// A foot that walks is thrown forward and then stands for more than half of a stride, so that the movement comes in
/// waves with quiet between them, each of which is two steps. They are found in the movement that is kept in steps of
/// 0.2 s, which is short enough for all but runners' strides.
struct SwingTrain {
    /// Some swings that follow one another and are strides.
    struct Bout {
        /// The time in the middle of the first and of the last one, µs.
        let first: Int64
        let last: Int64
        let count: Int
    }

    private struct Swing {
        /// The entry in which it is strongest, and the place of its top between entries.
        var entry: Int
        var place: Float
        /// Its greatest movement, m/s².
        var height: Float
    }

    /// The mean squares of movement and |a|, oldest first; of the movement, what three of them give.
    private let movement: UnsafeMutableBufferPointer<Float>
    private let norm: UnsafeMutableBufferPointer<Float>
    private let wave: UnsafeMutableBufferPointer<Float>
    private let swings: UnsafeMutableBufferPointer<Swing>
    private var count = 0
    /// When the first entry begins, µs.
    private let start: Int64

    private static let entryMicroseconds = MovementEnvelope.spacingTicks * Tick.microseconds
    private static let entrySeconds = Float(MovementEnvelope.spacingTicks) * Tick.seconds
    /// By how much the filters delay a swing, µs.
    private static let delayMicroseconds: Int64 = 50_000
    /// Two swings are at least so many entries apart.
    private static let leastDistance: Float = 3.5
    private static let capacity = MovementEnvelope.count / 3

    /// Whether it is time to look, and there is something after a time that could be the last swing of a bout that is
    /// over: each 1.6 s, of what moved within as long a time.
    static func isDue(_ movement: MovementEnvelope, since: Int64) -> Bool {
        guard movement.newest % lookEntries < evaluationEntries else { return false }
        let age = Int(SwingOdds.longestSeconds / entrySeconds)
        let oldest = Int(min(Int64(age) + lookEntries, (movement.endMicroseconds - since) / entryMicroseconds))
        return oldest >= age && (age...oldest).contains { movement.deviation($0) > SwingOdds.leastHeight }
    }

    private static let lookEntries: Int64 = 8
    private static let evaluationEntries: Int64 = 2

    /// Looks for swings in what moved, and in |a|, and hands them over.
    static func with<Result>(
        movement: MovementEnvelope, norm: MovementEnvelope, _ body: (inout SwingTrain) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(of: Float.self, capacity: 3 * MovementEnvelope.count) { memory in
            withUnsafeTemporaryAllocation(of: Swing.self, capacity: capacity) { swings in
                var train = SwingTrain(movement, norm, memory, swings)
                return body(&train)
            }
        }
    }

    private init(
        _ movement: MovementEnvelope, _ norm: MovementEnvelope, _ memory: UnsafeMutableBufferPointer<Float>,
        _ swings: UnsafeMutableBufferPointer<Swing>
    ) {
        let filled = max(movement.filled - 1, 0)
        self.movement = .init(rebasing: memory[0..<filled])
        self.norm = .init(rebasing: memory[MovementEnvelope.count..<(MovementEnvelope.count + filled)])
        wave = .init(rebasing: memory[(2 * MovementEnvelope.count)..<(2 * MovementEnvelope.count + filled)])
        self.swings = swings
        start = movement.endMicroseconds - Int64(filled) * Self.entryMicroseconds
        movement.lay(squares: self.movement)
        norm.lay(squares: self.norm)
        wave.initialize(repeating: 0)
        guard filled > 2 else { return }
        for entry in 1..<(filled - 1) {
            wave[entry] =
                0.25 * (self.movement[entry - 1] + self.movement[entry + 1]) + 0.5 * self.movement[entry]
        }
        for entry in 1..<(filled - 1) where isTop(entry) { add(entry) }
    }

    private func isTop(_ entry: Int) -> Bool {
        wave[entry] > SwingOdds.leastHeight * SwingOdds.leastHeight && wave[entry] > wave[entry - 1]
            && wave[entry] >= wave[entry + 1]
    }

    /// Adds a swing; two of which the movement hardly falls between are one.
    private mutating func add(_ entry: Int) {
        let top = wave[entry]
        let place = Float(entry) + Parabola.shift(wave[entry - 1], top, wave[entry + 1])
        let swing = Swing(entry: entry, place: place, height: top.squareRoot())
        if count > 0 {
            let last = swings[count - 1]
            if place - last.place < Self.leastDistance || rest(from: last, to: swing) > SwingOdds.mostRest {
                if swing.height > last.height { swings[count - 1] = swing }
                return
            }
        }
        guard count < swings.count else { return }
        swings[count] = swing
        count += 1
    }

    /// What is left of the movement between two swings, as a share of the smaller one.
    private func rest(from first: Swing, to last: Swing) -> Float {
        var least = Float.infinity
        for entry in first.entry...last.entry { least = min(least, wave[entry]) }
        return least.squareRoot() / min(first.height, last.height)
    }

    /// The movement in the middle half of the time between two swings, as a share of the smaller one.
    private func stance(from first: Swing, to last: Swing) -> Float {
        let margin = 0.25 * (last.place - first.place)
        let (start, end) = (first.place + margin, last.place - margin)
        var sum: Float = 0
        for entry in first.entry...last.entry {
            let (left, right) = (max(Float(entry) - 0.5, start), min(Float(entry) + 0.5, end))
            sum += max(right - left, 0) * movement[entry]
        }
        return (sum / (end - start)).squareRoot() / min(first.height, last.height)
    }

    /// The likeliest bout of swings since a time that ended before another; swings after that may go on with what was
    /// before them, which then waits. `recentRate` is that of a walk of late, steps a second, or 0.
    func bout(since: Int64, endedBefore end: Int64, recentRate: Float) -> Bout? {
        var first = 0
        while first < count, time(first) <= since { first += 1 }
        var limit = count
        while let run = best(first..<limit, recentRate: recentRate) {
            if time(run.upperBound - 1) < end {
                return Bout(first: time(run.lowerBound), last: time(run.upperBound - 1), count: run.count)
            }
            limit = run.lowerBound
        }
        return nil
    }

    /// Forgets the swings from a time on: they are counted otherwise.
    mutating func forget(from time: Int64) {
        while count > 0, self.time(count - 1) >= time { count -= 1 }
    }

    /// When the newest swings began that follow one another at a rate, strides a second, and are like each other; nil
    /// without two.
    func beginning(rate: Float, since: Int64) -> Int64? {
        var first = count - 1
        while first > 0, time(first - 1) > since, SwingOdds.gaps.contains(seconds(first) * rate),
            SwingOdds.ratios.contains(swings[first - 1].height / swings[first].height)
        {
            first -= 1
        }
        return first < count - 1 ? time(first) : nil
    }

    private func time(_ index: Int) -> Int64 {
        start + Int64((swings[index].place + 0.5) * Float(Self.entryMicroseconds)) - Self.delayMicroseconds
    }

    private func best(_ range: Range<Int>, recentRate: Float) -> Range<Int>? {
        var (best, highest) = (0..<0, Float(0))
        for first in range {
            var end = first + 1
            while end < range.upperBound, seconds(end) < SwingOdds.longestSeconds {
                end += 1
                let (sum, excess) = odds(first..<end, recentRate: recentRate)
                if sum > 0, sum + excess > highest { (best, highest) = (first..<end, sum + excess) }
            }
        }
        return best.isEmpty ? nil : best
    }

    /// The time from the swing before, s.
    private func seconds(_ index: Int) -> Float {
        (swings[index].place - swings[index - 1].place) * Self.entrySeconds
    }

    /// The logarithm of the odds that some swings are strides, and how much more their rhythm would add if it were not
    /// bounded.
    private func odds(_ run: Range<Int>, recentRate: Float) -> (sum: Float, excess: Float) {
        let number = Float(run.count)
        let (first, last) = (swings[run.lowerBound], swings[run.upperBound - 1])
        let interval = (last.place - first.place) * Self.entrySeconds / (number - 1)
        let isKnown = SwingOdds.isKnown(interval, recentRate: recentRate)
        let leastCount = isKnown ? SwingOdds.leastKnownCount : SwingOdds.leastCount
        guard run.count >= leastCount else { return (-.infinity, 0) }
        var height: Float = 1
        for index in run { height *= swings[index].height }
        height = SwingOdds.root(height, number)
        var (evenness, likeness, stances) = (Float(0), Float(0), Float(0))
        for index in run {
            likeness += SwingOdds.ofLikeness(swings[index].height / height)
            guard index > run.lowerBound else { continue }
            evenness += SwingOdds.ofEvenness(seconds(index) / interval - 1)
            stances += SwingOdds.ofStance(stance(from: swings[index - 1], to: swings[index]), interval: seconds(index))
        }
        // A mean was taken from each.
        let rhythm =
            evenness * (number - 2) / (number - 1) + likeness * (number - 1) / number + stances
        let sum =
            SwingOdds.before + min(rhythm, SwingOdds.mostRhythm) + SwingOdds.ofPace(interval)
            + (isKnown ? SwingOdds.ofRecall : 0) + SwingOdds.ofMovement(height, interval: interval)
            + SwingOdds.ofShare(share(first.entry, last.entry))
        return (sum, max(rhythm - SwingOdds.mostRhythm, 0))
    }

    /// The share of |a| in the movement of some swings.
    private func share(_ first: Int, _ last: Int) -> Float {
        var (all, heard) = (Float(1e-6), Float(0))
        for entry in (first - 1)...(last + 1) {
            all += movement[entry]
            heard += norm[entry]
        }
        return (heard / all).squareRoot()
    }
}

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
