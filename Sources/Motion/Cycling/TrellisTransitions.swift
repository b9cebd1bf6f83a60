/// The likeliest ways to each period by steps of the grid, up or down, where many steps cost what each of them does.
///
/// What a period scores, plus what all steps up to it cost, is compared with the same of all below: the highest of
/// these is the best start of a way up, and the difference of their costs that of the way. So the best starts for all
/// periods are running maxima, and no period waits for its neighbour. Where a way began is not looked for until someone
/// asks: the nearest period that no better way led to.
struct TrellisTransitions {
    private static let count = PeriodGrid.paddedCount
    /// Scores with costs, and a margin before them where ways up begin, and behind them where ways down do.
    private static let rowLength = count + RunningMaximum.margin
    /// The best starts of ways down are written so far behind the scores that they are made of, whose memory is no
    /// longer asked for then: what was just written is slow to read in vectors that begin beside it.
    private static let shift = 8

    private let rising: UnsafeMutablePointer<Float>
    private let falling: UnsafeMutablePointer<Float>
    private let costs: UnsafePointer<Float>

    /// Raises each score to the best of its own, a way up, a way down and a way from another state with a score, and
    /// says by which of them: a ``Mark`` each.
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
            // What is not asked for any longer makes room for the marks.
            fallen.set(best.marks, at: step)
            step &+= 4
        }
        // 2^23 and a small whole number more has that number in its last bits.
        for step in 0..<Self.count {
            marks[step] = UInt8(truncatingIfNeeded: (fallen[step] + 8_388_608).bitPattern)
        }
    }

    /// By which way a period's score was reached, and, added to that, whether a better one led there from below and
    /// from above: small whole numbers, which are kept in vectors beside scores while they are found.
    enum Mark {
        static let up: Float = 1
        static let down: Float = 2
        static let other: Float = 3
        static let reachedUp: Float = 4
        static let reachedDown: Float = 8
    }

    /// The state before a period: itself, where the way to it began, or another state.
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

    /// The best scores of four periods so far, and by which way.
    private struct Choice {
        private(set) var score: SIMD4<Float>
        private var mark = SIMD4<Float>.zero
        private var reached = SIMD4<Float>.zero

        /// By which ways, as it is kept.
        var marks: SIMD4<Float> { mark + reached }

        @inline(__always)
        init(score: SIMD4<Float>) {
            self.score = score
        }

        /// Considers a way by steps where it began at another period, which its best start being above the own one says.
        @inline(__always)
        mutating func consider(
            _ way: SIMD4<Float>, _ wayMark: Float, from best: SIMD4<Float>, above own: SIMD4<Float>,
            _ reachedMark: Float
        ) {
            consider(best.choose(above: own, way, else: score), wayMark)
            reached += best.choose(above: own, .init(repeating: reachedMark), else: .zero)
        }

        /// Considers a way that has a greater mark than those before.
        @inline(__always)
        mutating func consider(_ way: SIMD4<Float>, _ wayMark: Float) {
            mark = mark.raised(to: way.choose(above: score, .init(repeating: wayMark), else: .zero))
            score = score.raised(to: way)
        }
    }
}

/// The greatest of the values from one end of a sequence to each of its places, four places at a time.
///
/// Each four values are compared with their neighbours up to three places before, and what is the greatest of four
/// neighbours then with the same of the fours before: a running maximum that waits for single values would wait for all
/// of them.
struct RunningMaximum {
    /// Memory before the first value, seen from the end that is begun at.
    static let margin = 3
    /// Less than anything that is compared.
    static let least = -Float.greatestFiniteMagnitude

    private var greatest = SIMD4<Float>(repeating: least)

    /// The greatest values from the start to each of the next four.
    @inline(__always)
    mutating func rise(to values: UnsafeMutablePointer<Float>) -> SIMD4<Float> {
        take(values.four(at: 0), values.four(at: -1), values.four(at: -2), values.four(at: -3))
    }

    /// The greatest values from the end to each of the four before.
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
