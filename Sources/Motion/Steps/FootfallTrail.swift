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
