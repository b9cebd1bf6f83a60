/// Finds single footfalls: the peaks of a smoothed |a|.
///
/// Brajdic & Harle, "Walk detection and step counting on unconstrained smartphones" (UbiComp 2013), found windowed
/// peaks of a moving mean over 0.31 s, each the highest of a centred 0.59 s, among the most accurate for all places on
/// the body.
struct FootfallDetector {
    /// The moving mean spans 7 ticks, 0.28 s.
    private static let smoothingTicks: Float = 7
    /// A peak is the highest within so many ticks on both sides: 0.24 s.
    static let reachTicks = 6
    /// A peak is told so many ticks after it stood: the reach and half of the mean.
    static let delayTicks: Int64 = 9

    /// The last values, oldest first; the first is not used.
    private var values = EightFloats()
    /// The last means, oldest first: 8…15 ago and 0…7 ago.
    private var olderMeans = EightFloats()
    private var newerMeans = EightFloats()

    /// Ticks are looked at together, in vectors of eight, in memory for values and for their means, the last ones
    /// before them. That is done in three stages with other work in between, because what was just written one by one
    /// is slow to read in vectors.
    static let memoryCount = 2 * meansPlace
    private static let meansPlace = 32
    private static let olderMeanCount = 16

    /// Lays out the next values of the filtered |a|, m/s², up to ``Tick/mostAtOnce``.
    @inline(__always)
    func lay(_ ticks: UnsafeMutableBufferPointer<FilteredTick>, in memory: UnsafeMutablePointer<Float>) {
        memory.set(values.vector, at: 0)
        for place in 1..<4 { memory.set(SIMD8.zero, at: 8 &* place) }
        for index in 0..<ticks.count { memory[8 &+ index] = ticks[index].moved.w }
    }

    /// Makes the means that end with each value.
    @inline(__always)
    mutating func average(count: Int, in memory: UnsafeMutablePointer<Float>) {
        values.vector = memory.eight(at: count)
        let means = memory + Self.meansPlace
        means.set(olderMeans.vector, at: 0)
        means.set(newerMeans.vector, at: 8)
        means.set(Self.means(memory), at: 16)
        means.set(count > 8 ? Self.means(memory + 8) : .zero, at: 24)
    }

    @inline(__always)
    private static func means(_ values: UnsafeMutablePointer<Float>) -> SIMD8<Float> {
        var sum = values.eight(at: 2) + values.eight(at: 3)
        for first in 4...8 { sum += values.eight(at: first) }
        return sum / smoothingTicks
    }

    /// Whether one of the means that stood ``reachTicks`` before the last ones may be a peak above `least`.
    @inline(__always)
    mutating func mayHavePeak(above least: Float, count: Int, in memory: UnsafeMutablePointer<Float>) -> Bool {
        let means = memory + Self.meansPlace
        olderMeans.vector = means.eight(at: count)
        newerMeans.vector = means.eight(at: count &+ 8)
        let middle = means + (Self.olderMeanCount - Self.reachTicks)
        return Self.mayHavePeak(middle, above: least) || count > 8 && Self.mayHavePeak(middle + 8, above: least)
    }

    /// Whether one of eight means is above `least` and no lower than both beside it. Told by differences, because the
    /// bits of two comparisons would be put together one by one.
    @inline(__always)
    private static func mayHavePeak(_ means: UnsafeMutablePointer<Float>, above least: Float) -> Bool {
        let middle = means.eight(at: 0)
        let beside = means.eight(at: -1).raised(to: means.eight(at: 1))
        return (middle - beside).lowered(to: middle - least).greatest >= 0
    }

    /// The height of the peak that stood ``delayTicks`` before a value, or nil.
    static func peak(before index: Int, above least: Float, in memory: UnsafeMutablePointer<Float>) -> Float? {
        let means = memory + (meansPlace + olderMeanCount - reachTicks + index)
        // All three are read before any is compared: few are tops, but which are above the least nobody foresees.
        let (earlier, middle, later) = (means[-1], means[0], means[1])
        let isTop = middle > least && middle > later && middle >= earlier
        guard isTop else { return nil }
        return (-reachTicks...reachTicks).allSatisfy { means[$0] <= means[0] } ? means[0] : nil
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        values.transfer(&coder)
        olderMeans.transfer(&coder)
        newerMeans.transfer(&coder)
    }
}

/// When the last footfalls were, whoever counted them: where a walk began and where it ended.
struct FootfallTrail {
    static let capacity = 24

    private var times = [Int64](repeating: 0, count: capacity)
    private var count = 0

    mutating func add(_ time: Int64) {
        if count == Self.capacity {
            count -= 1
            times.moveDown(by: 1, count: count)
        }
        times[count] = time
        count += 1
    }

    /// Forgets all and keeps the memory.
    mutating func clear() {
        for index in 0..<count { times[index] = 0 }
        count = 0
    }

    /// The first of the newest footfalls that follow one another, each so many intervals of a rate (steps a second)
    /// after the one before; nil without two.
    func beginning(rate: Float, gaps: ClosedRange<Float>) -> Int64? {
        var first = count - 1
        while first > 0, gaps.contains(gap(before: first, rate: rate)) { first -= 1 }
        return first < count - 1 ? times[first] : nil
    }

    /// The newest footfall that follows another so many intervals of a rate later, or nil without one.
    func ending(rate: Float, gaps: ClosedRange<Float>) -> Int64? {
        var last = count - 1
        while last > 0 {
            if gaps.contains(gap(before: last, rate: rate)) { return times[last] }
            last -= 1
        }
        return nil
    }

    /// The first footfall since a time, unless that is more than a step later.
    func first(since time: Int64, rate: Float) -> Int64? {
        times[..<count].first { $0 >= time }.flatMap { Float($0 - time) * 1e-6 * rate < 1 ? $0 : nil }
    }

    /// The last footfall until a time, unless that is more than so many steps earlier.
    func last(until time: Int64, steps: Float, rate: Float) -> Int64? {
        times[..<count].last { $0 <= time }.flatMap { Float(time - $0) * 1e-6 * rate < steps ? $0 : nil }
    }

    /// How many soft steps, at most so many, lead to a footfall: a gait is steady after about three steps (Mann et al.,
    /// J. Bone Joint Surg. 61-A (1979) 232).
    func softSteps(before time: Int64, rate: Float, most: Int) -> Int {
        var (next, steps) = (time, 0)
        for index in (0..<count).reversed() where times[index] < next && steps < most {
            let gap = Float(next - times[index]) * 1e-6 * rate
            guard gap > FootfallThresholds.edgeGaps.lowerBound else { continue }
            guard gap < FootfallThresholds.edgeGaps.upperBound else { break }
            (next, steps) = (times[index], steps + 1)
        }
        return steps
    }

    private func gap(before index: Int, rate: Float) -> Float {
        Float(times[index] - times[index - 1]) * 1e-6 * max(rate, StepThresholds.rates.lowerBound)
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        for index in 0..<Self.capacity { coder.code(time: &times[index]) }
        coder.code(&count, in: 0...Self.capacity)
    }
}
