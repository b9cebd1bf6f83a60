/// The likeliest ways to each period by steps of the grid, up or down, where many steps cost what each of them does.
///
/// What a period scores, plus what all steps up to it cost, is compared with the same of all below: the highest of
/// these is the best start of a way up, and the difference of their costs that of the way. So the best starts for all
/// periods are running maxima, and no period waits for its neighbour. Where a way began is not looked for until someone
/// asks: the nearest period that no better way led to.
struct PeriodSteps {
    private static let count = PeriodGrid.paddedCount
    private static let rowLength = count + 2 * RunningMaximum.margin

    /// The highest scores with costs, from below and from above.
    private let risen: UnsafeMutablePointer<Float>
    private let fallen: UnsafeMutablePointer<Float>
    private let costs: UnsafePointer<Float>

    /// Raises each score to the best of its own, a way up, a way down and a way from another state with a score, and
    /// says by which of them: a ``Mark`` each.
    static func follow(
        _ scores: UnsafeMutablePointer<Float>, otherScore: Float, _ marks: UnsafeMutablePointer<UInt8>
    ) {
        let grid = PeriodGrid.shared
        grid.climbCosts.withUnsafeBufferPointer { costs in
            grid.likelihoods.withUnsafeBufferPointer { likelihoods in
                withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * rowLength) { memory in
                    guard let memory = memory.baseAddress, let costs = costs.baseAddress,
                        let likelihoods = likelihoods.baseAddress
                    else { return }
                    PeriodSteps(scores, costs, memory).take(scores, likelihoods, otherScore, marks)
                }
            }
        }
    }

    private init(
        _ scores: UnsafePointer<Float>, _ costs: UnsafePointer<Float>,
        _ memory: UnsafeMutablePointer<Float>
    ) {
        self.costs = costs
        risen = memory + RunningMaximum.margin
        fallen = risen + Self.rowLength
        var step = 0
        while step < Self.count {
            let (score, cost) = (scores.eight(at: step), costs.eight(at: step))
            risen.set(score + cost, at: step)
            fallen.set(score - cost, at: step)
            step &+= 8
        }
        RunningMaximum(risen, count: Self.count).fromStart()
        RunningMaximum(fallen, count: Self.count).fromEnd()
    }

    @inline(__always)
    private func take(
        _ scores: UnsafeMutablePointer<Float>, _ likelihoods: UnsafePointer<Float>, _ otherScore: Float,
        _ marks: UnsafeMutablePointer<UInt8>
    ) {
        var step = 0
        while step < Self.count {
            let (own, cost) = (scores.eight(at: step), costs.eight(at: step))
            var best = Choice(score: own, mark: .zero)
            let up = best.way(risen.eight(at: step), beyond: own + cost, less: cost)
            let down = best.way(fallen.eight(at: step), beyond: own - cost, less: -cost)
            best.consider(up.score, Mark.up)
            best.consider(down.score, Mark.down)
            best.consider(likelihoods.eight(at: step) + otherScore, Mark.other)
            scores.set(best.score, at: step)
            // What is not asked for any longer makes room for the marks.
            risen.set(
                best.mark + up.isReached * Mark.reachedUp + down.isReached * Mark.reachedDown, at: step)
            step &+= 8
        }
        // 2^23 and a small whole number more has that number in its last bits.
        for step in 0..<Self.count {
            marks[step] = UInt8(truncatingIfNeeded: (risen[step] + 8_388_608).bitPattern)
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

    /// The best scores of eight periods so far, and by which way.
    private struct Choice {
        var score: SIMD8<Float>
        var mark: SIMD8<Float>

        @inline(__always)
        mutating func consider(_ other: SIMD8<Float>, _ otherMark: Float) {
            mark = other.choose(above: score, .init(repeating: otherMark), else: mark)
            score = score.raised(to: other)
        }

        /// What a way makes of the score, which is the score itself where the way begins there, and 1 where it does
        /// not.
        @inline(__always)
        func way(
            _ reached: SIMD8<Float>, beyond own: SIMD8<Float>, less cost: SIMD8<Float>
        ) -> (score: SIMD8<Float>, isReached: SIMD8<Float>) {
            (
                reached.choose(above: own, reached - cost, else: score),
                reached.choose(above: own, .one, else: .zero)
            )
        }
    }
}
