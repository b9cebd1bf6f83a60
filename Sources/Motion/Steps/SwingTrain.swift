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
