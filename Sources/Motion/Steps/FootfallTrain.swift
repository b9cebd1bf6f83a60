/// Footfalls one after the other that are not counted yet: a few steps across a room are over before their period is
/// sure.
///
/// They wait here until they are a bout of their own, or until the periodic counter takes them over. What makes
/// footfalls a bout are their number, a rhythm and like heights, as in Gu et al., "Robust Step Counting using
/// Smartphone Inertial Sensors" (IEEE Trans. Human-Machine Syst. 2017), who call them continuity, periodicity and
/// similarity; all are weighed together (``FootfallOdds``), of each run of footfalls, so that what a body does before
/// and after a walk does not spoil it.
struct FootfallTrain {
    static let capacity = 16

    private var times = [Int64](repeating: 0, count: capacity)
    private var heights = [Float](repeating: 0, count: capacity)
    private var roughnesses = [Float](repeating: 0, count: capacity)
    private var shares = [Float](repeating: 0, count: capacity)
    private(set) var count = 0
    /// Whether the footfalls before the first kept one were counted as this bout's.
    private(set) var isContinued = false

    /// How similar |a| is to itself one or two of the footfalls' intervals before.
    private var similarity: Float = 0
    /// Whether the movement was one of strokes since this began.
    private var isOfStrokes = false
    /// The mean time from one sample to the next, s.
    private var sampleSeconds: Float = 0

    var isFull: Bool { count == Self.capacity }

    /// The time of the last footfall, µs; 0 without one.
    var lastTime: Int64 { count > 0 ? times[count - 1] : 0 }

    /// Adds a footfall: its height, m/s², the roughness of |a| about it, and the share of |a| in the movement.
    mutating func add(time: Int64, height: Float, roughness: Float, share: Float, sampleSeconds: Float) {
        guard count < Self.capacity else { return }
        times[count] = time
        heights[count] = height
        roughnesses[count] = roughness
        shares[count] = share
        self.sampleSeconds = sampleSeconds
        count += 1
    }

    /// The mean time from one to the next, µs.
    private var interval: Float {
        Float(times[max(count - 1, 0)] - times[0]) / Float(max(count - 1, 1))
    }

    /// Asks how well |a| repeats itself in the rhythm of the footfalls: those of a walk do, also where it is short.
    mutating func weigh(_ normCurve: LagCurve, isOfStrokes: Bool) {
        guard count > 1 else { return }
        self.isOfStrokes = self.isOfStrokes || isOfStrokes
        let lag = interval / Float(Tick.microseconds)
        similarity = max(
            normCurve.highestPeak(near: lag)?.height ?? 0, normCurve.highestPeak(near: 2 * lag)?.height ?? 0)
    }

    /// Those of these footfalls that follow one another and are steps, or nil: of all runs that are likely the one in
    /// which each footfall fits. Only those before a time are asked, where what came later has another rhythm.
    func bout(_ placement: Placement, recentRate: Float, before end: Int64 = .max) -> Range<Int>? {
        let odds = FootfallOdds(placement: placement, sampleSeconds: sampleSeconds, recentRate: recentRate)
        if placement.mayTurn, isOfStrokes { return nil }
        let asked = times[0..<count].prefix { $0 < end }.count
        let likeness = odds.ofSimilarity(asked < count ? 0 : similarity)
        var (best, highest) = (0..<0, -Float.infinity)
        for first in 0..<asked {
            let isContinued = first == 0 && isContinued
            let least = isContinued ? 2 : odds.leastCount
            guard first + least <= asked else { break }
            for last in (first + least)...asked {
                let (felt, excess) = self.odds(of: first..<last, isContinued: isContinued, odds)
                let sum = felt + likeness
                if sum > 0, sum + excess > highest { (best, highest) = (first..<last, sum + excess) }
            }
        }
        return best.isEmpty ? nil : extended(best, first: placement.mayTurn ? 1 : FootfallThresholds.mostSoftSteps)
    }

    /// The logarithm of the odds that some footfalls are a walk's, and how much more their rhythm would add if it were
    /// not bounded.
    private func odds(
        of run: Range<Int>, isContinued: Bool, _ odds: FootfallOdds
    ) -> (sum: Float, excess: Float) {
        let number = Float(run.count)
        let interval = Float(times[run.upperBound - 1] - times[run.lowerBound]) * 1e-6 / (number - 1)
        guard interval < odds.placement.longestFootfallInterval else { return (-.infinity, 0) }
        let height = heights[run].reduce(0, +) / number
        var (evenness, likeness, sideLikeness) = (Float(0), Float(0), Float(0))
        for index in run {
            likeness += odds.ofLikeness(heights[index] / height)
            sideLikeness += odds.ofLikeness(heights[index] / meanHeight(in: run, side: index))
            guard index > run.lowerBound else { continue }
            let deviation = abs(Float(times[index] - times[index - 1]) * 1e-6 / interval - 1)
            evenness += odds.ofEvenness(deviation, interval: interval)
        }
        // A mean was taken from each, and two where left and right are compared apart.
        let alike = max(likeness * (number - 1), sideLikeness * (number - 2)) / number
        let rhythm = evenness * (number - 2) / (number - 1) + alike
        let known =
            min(rhythm, FootfallOdds.mostRhythm) + odds.ofPace(interval) + odds.ofRecall(interval)
        let felt =
            odds.ofRise(height, interval: interval) + odds.ofShare(shares[run].reduce(0, +) / number)
            + odds.ofRoughness(roughnesses[run].reduce(0, +) / number, height: height, interval: interval)
        let before = odds.before + (isContinued ? FootfallOdds.continued : 0)
        return (before + known + felt, max(rhythm - FootfallOdds.mostRhythm, 0))
    }

    /// The mean height of every other footfall of a run: those of one foot, which an arm or a limp makes unlike the
    /// other's.
    private func meanHeight(in run: Range<Int>, side: Int) -> Float {
        var (sum, number) = (Float(0), Float(0))
        for index in run where (index - side) & 1 == 0 {
            sum += heights[index]
            number += 1
        }
        return sum / number
    }

    /// The same with so many first steps at most and the last one, which are slower and softer.
    private func extended(_ run: Range<Int>, first most: Int) -> Range<Int> {
        let interval = Float(times[run.upperBound - 1] - times[run.lowerBound]) / Float(run.count - 1)
        let height = heights[run].reduce(0, +) / Float(run.count)
        func isEdge(_ index: Int, of other: Int) -> Bool {
            guard heights.indices.contains(index), index < count else { return false }
            return FootfallThresholds.edgeGaps.contains(Float(abs(times[other] - times[index])) / interval)
                && FootfallThresholds.edgeHeights.contains(heights[index] / height)
        }
        var first = run.lowerBound
        while run.lowerBound - first < most, isEdge(first - 1, of: first) { first -= 1 }
        return first..<(run.upperBound + (isEdge(run.upperBound, of: run.upperBound - 1) ? 1 : 0))
    }

    /// Says those of a run that were before a time as steps, and forgets them and what was before them. The time until
    /// which they are counted; 0 without any.
    mutating func count(_ run: Range<Int>, until end: Int64, into events: inout MotionEvents) -> Int64 {
        var last: Int64 = 0
        var next = run.lowerBound
        while next < run.upperBound, times[next] < end {
            last = times[next]
            events.append(.steps(count: 1, timeMicroseconds: last))
            next += 1
        }
        guard next > run.lowerBound else { return 0 }
        drop(first: next)
        isContinued = true
        return last
    }

    /// Forgets the footfalls until a time: they are counted otherwise.
    mutating func drop(until time: Int64) {
        var passed = 0
        while passed < count, times[passed] <= time { passed += 1 }
        drop(first: passed)
        isContinued = passed > 0 || isContinued
    }

    mutating func drop(first dropped: Int) {
        guard dropped > 0 else { return }
        let kept = max(count - dropped, 0)
        times.moveDown(by: dropped, count: kept)
        heights.moveDown(by: dropped, count: kept)
        roughnesses.moveDown(by: dropped, count: kept)
        shares.moveDown(by: dropped, count: kept)
        count = kept
    }

    mutating func clear() {
        count = 0
        isContinued = false
        similarity = 0
        isOfStrokes = false
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        for index in 0..<Self.capacity {
            coder.code(time: &times[index])
            coder.code(&heights[index])
            coder.code(&roughnesses[index])
            coder.code(&shares[index])
        }
        coder.code(&count, in: 0...Self.capacity)
        coder.code(&isContinued)
        coder.code(&similarity)
        coder.code(&isOfStrokes)
        coder.code(&sampleSeconds)
    }
}
