/// The best transitions to each period by steps of the grid, up or down, with additive costs.
///
/// Let c(p) be the cost of all steps up to period p. The best path up to p has the score max over q ≤ p of score(q) +
/// c(q), less c(p): a running maximum, and so is the path down. All periods are worked on at once. The period where a
/// path began is looked up only when it is asked for: the nearest one that no better path reached.
struct TrellisTransitions {
    private static let count = PeriodGrid.paddedCount
    /// Scores with costs, and a margin before the first for paths up, or behind the last for paths down.
    private static let rowLength = count + RunningMaximum.margin
    /// The running maxima of paths down overwrite their input, shifted by this many places: a vector that overlaps the
    /// one just written is slow to read.
    private static let shift = 8

    private let rising: UnsafeMutablePointer<Float>
    private let falling: UnsafeMutablePointer<Float>
    private let costs: UnsafePointer<Float>

    /// Raises each score to the best of its own, a path up, a path down, and a transition from another state of
    /// `otherScore`, and writes a ``Mark`` for each.
    static func follow(
        _ scores: UnsafeMutablePointer<Float>, otherScore: Float, _ marks: UnsafeMutablePointer<UInt8>
    ) {
        let grid = PeriodGrid.shared
        grid.climbCosts.withUnsafeBufferPointer { costs in
            grid.likelihoods.withUnsafeBufferPointer { likelihoods in
                withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * rowLength + shift) { memory in
                    guard let memory = memory.baseAddress, let costs = costs.baseAddress,
                        let likelihoods = likelihoods.baseAddress
                    else { return }
                    TrellisTransitions(scores, costs, memory).take(scores, likelihoods, otherScore, marks)
                }
            }
        }
    }

    @inline(__always)
    private init(
        _ scores: UnsafePointer<Float>, _ costs: UnsafePointer<Float>,
        _ memory: UnsafeMutablePointer<Float>
    ) {
        self.costs = costs
        rising = memory + RunningMaximum.margin
        falling = memory + Self.rowLength
        for place in 0..<RunningMaximum.margin {
            memory[place] = RunningMaximum.least
            falling[Self.count + place] = RunningMaximum.least
        }
        var step = 0
        while step < Self.count {
            let (score, cost) = (scores.eight(at: step), costs.eight(at: step))
            rising.set(score + cost, at: step)
            falling.set(score - cost, at: step)
            step &+= 8
        }
        var fallen = RunningMaximum()
        while step > 0 {
            step &-= 4
            falling.set(fallen.fall(to: falling + step), at: step &+ Self.shift)
        }
    }

    @inline(__always)
    private func take(
        _ scores: UnsafeMutablePointer<Float>, _ likelihoods: UnsafePointer<Float>, _ otherScore: Float,
        _ marks: UnsafeMutablePointer<UInt8>
    ) {
        let fallen = falling + Self.shift
        var (step, risen) = (0, RunningMaximum())
        while step < Self.count {
            let (own, cost) = (scores.four(at: step), costs.four(at: step))
            let (below, above) = (risen.rise(to: rising + step), fallen.four(at: step))
            var best = Choice(score: own)
            best.consider(below - cost, Mark.up, from: below, above: own + cost, Mark.reachedUp)
            best.consider(above + cost, Mark.down, from: above, above: own - cost, Mark.reachedDown)
            best.consider(likelihoods.four(at: step) + otherScore, Mark.other)
            scores.set(best.score, at: step)
            // The maxima are no longer needed: the marks take their place.
            fallen.set(best.marks, at: step)
            step &+= 4
        }
        // The sum of 2^23 and a small whole number has that number in its low bits.
        for step in 0..<Self.count {
            marks[step] = UInt8(truncatingIfNeeded: (fallen[step] + 8_388_608).bitPattern)
        }
    }

    /// The transition by which a period was reached, plus whether a path from below and from above was better than its
    /// own score. Whole numbers as floats, to stand in vectors beside scores.
    enum Mark {
        static let up: Float = 1
        static let down: Float = 2
        static let other: Float = 3
        static let reachedUp: Float = 4
        static let reachedDown: Float = 8
    }

    /// The state before a period: itself, the start of the path to it, or `other`.
    @inline(__always)
    static func source(of period: Int, _ marks: UnsafePointer<UInt8>, other: UInt8) -> Int {
        var source = period
        switch marks[period] & 3 {
        case UInt8(Mark.up):
            while source > 0, marks[source] & UInt8(Mark.reachedUp) != 0 { source -= 1 }
        case UInt8(Mark.down):
            while source < PeriodGrid.count - 1, marks[source] & UInt8(Mark.reachedDown) != 0 {
                source += 1
            }
        case UInt8(Mark.other):
            source = Int(other)
        default:
            break
        }
        return source
    }

    /// The best scores of four periods, and their transitions.
    private struct Choice {
        private(set) var score: SIMD4<Float>
        private var mark = SIMD4<Float>.zero
        private var reached = SIMD4<Float>.zero

        /// The transitions, as stored.
        var marks: SIMD4<Float> { mark + reached }

        @inline(__always)
        init(score: SIMD4<Float>) {
            self.score = score
        }

        /// Considers a path by steps, where its best start is better than the period's own score.
        @inline(__always)
        mutating func consider(
            _ path: SIMD4<Float>, _ pathMark: Float, from best: SIMD4<Float>, above own: SIMD4<Float>,
            _ reachedMark: Float
        ) {
            consider(best.choose(above: own, path, else: score), pathMark)
            reached += best.choose(above: own, .init(repeating: reachedMark), else: .zero)
        }

        /// Considers a transition with a greater mark than those before.
        @inline(__always)
        mutating func consider(_ path: SIMD4<Float>, _ pathMark: Float) {
            mark = mark.raised(to: path.choose(above: score, .init(repeating: pathMark), else: .zero))
            score = score.raised(to: path)
        }
    }
}

/// The running maximum of a sequence, from either end, four places at a time.
///
/// Each four values are compared with the three places before them, and the result with that of the fours before, so
/// that the dependency is from four to four.
struct RunningMaximum {
    /// Places before the first value, seen from the starting end, that must be readable.
    static let margin = 3
    /// Less than any score.
    static let least = -Float.greatestFiniteMagnitude

    private var greatest = SIMD4<Float>(repeating: least)

    /// The maxima from the start to each of the next four.
    @inline(__always)
    mutating func rise(to values: UnsafeMutablePointer<Float>) -> SIMD4<Float> {
        take(values.four(at: 0), values.four(at: -1), values.four(at: -2), values.four(at: -3))
    }

    /// The maxima from the end to each of the four before.
    @inline(__always)
    mutating func fall(to values: UnsafeMutablePointer<Float>) -> SIMD4<Float> {
        take(values.four(at: 0), values.four(at: 1), values.four(at: 2), values.four(at: 3))
    }

    @inline(__always)
    private mutating func take(
        _ own: SIMD4<Float>, _ first: SIMD4<Float>, _ second: SIMD4<Float>, _ third: SIMD4<Float>
    ) -> SIMD4<Float> {
        greatest = greatest.raised(to: own.raised(to: first).raised(to: second.raised(to: third)))
        return greatest
    }
}
