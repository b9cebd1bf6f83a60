/// Follows the period of a bike: a hidden Markov model of the periods of the grid and rest, decoded by the Viterbi
/// algorithm with a fixed lag (G. D. Forney, "The Viterbi algorithm", Proc. IEEE 61 (1973) 268).
///
/// The similarity `s` at multiples of a period is distributed about 0 in noise and about `r` while the crank turns. For
/// Gaussian distributions the log likelihood ratio is `(s − r/2) · r / variance`.
struct PeriodTrellis {
    /// The fixed lag, evaluations of 0.4 s.
    static let delay = 6
    static let rest = PeriodGrid.count
    /// The assumed variance of the similarity at one lag: along one axis, and the least for several. Three times that
    /// of noise between 0.4 and 5 Hz over ten ticks, measured as 0.135, because a path may choose the peaks of noise.
    private static let variance: Float = 0.408
    private static let leastVariance: Float = 0.136
    /// The highest expected similarity: riders shift and sway.
    static let mostExpected: Float = 0.8
    /// Transition costs, negative log-likelihoods: to any other period; from rest to a period, once in some minutes; to
    /// rest, once a minute. ``PeriodGrid/climbCosts`` has those of steps of the grid.
    private static let jumpCost: Float = 9
    private static let startCost: Float = 9
    private static let stopCost: Float = 4.3

    /// The log-likelihood of the best path to each period, and to rest, relative to the best of all.
    private var scores = [Float](repeating: unlikely, count: PeriodGrid.paddedCount)
    private var resting: Float = 0
    /// The likeliest period of these.
    private var leader = Leader(step: 0, score: unlikely)
    /// How each state was reached, a row an evaluation: a ring. Of the periods ``TrellisTransitions/Mark``s, of rest
    /// the state before it, and then the state that any period may have been reached from.
    private var marks = PeriodTrellis.restingMarks
    private static let otherPlace = rest + 1
    private var row = 0
    /// Whether the last evaluation was the first of the lag, as one of ``delay`` is.
    var isFirstOfLag: Bool { row == 0 }
    /// The states of the best path, from the newest to the settled one.
    private(set) var path = [UInt8](repeating: UInt8(rest), count: delay + 1)

    private static let unlikely: Float = -100
    private static let rowLength = PeriodGrid.paddedCount

    private static var restingMarks: [UInt8] {
        (0..<delay * rowLength).map { $0 % rowLength == rest ? UInt8(rest) : 0 }
    }

    private struct Leader {
        var step: Int
        var score: Float
    }

    /// The state of the best path at an age in evaluations.
    func state(age: Int) -> Int { Int(path[min(age, Self.delay)]) }

    /// Takes the next evaluation.
    /// - Parameters:
    ///   - similarity: The comb scores by period.
    ///   - axisCount: The effective number of independent axes.
    ///   - expected: The expected similarity of a turning crank.
    ///   - doubt: Further log odds against pedalling.
    mutating func push(_ similarity: [Float], axisCount: Float, expected: Float, doubt: Float) {
        row = (row + 1) % Self.delay
        let factor = min(expected, Self.mostExpected)
        let weight = factor / max(Self.variance / axisCount, Self.leastVariance)
        let (resting, leader, row) = (resting, leader, row)
        let now = scores.withUnsafeMutableBufferPointer { scores in
            marks.withUnsafeMutableBufferPointer { marks in
                similarity.withUnsafeBufferPointer { similarity in
                    guard let scores = scores.baseAddress, let marks = marks.baseAddress,
                        let similarity = similarity.baseAddress
                    else { return (leader, resting) }
                    let resting = Self.move(scores, resting: resting, leader, marks + row * Self.rowLength)
                    let most = max(
                        Self.weigh(similarity, factor: factor, weight: weight, doubt: doubt, scores), resting)
                    return (Self.level(scores, by: most), resting - most)
                }
            }
        }
        (self.leader, self.resting) = now
        readPath(from: now.0.score > now.1 ? now.0.step : Self.rest)
    }

    /// Replaces each period's score by that of the best path to it, and returns the same for rest.
    private static func move(
        _ scores: UnsafeMutablePointer<Float>, resting: Float, _ leader: Leader,
        _ marks: UnsafeMutablePointer<UInt8>
    ) -> Float {
        let starts = resting - startCost > leader.score - jumpCost
        TrellisTransitions.follow(
            scores, otherScore: starts ? resting - startCost : leader.score - jumpCost, marks)
        marks[otherPlace] = UInt8(truncatingIfNeeded: starts ? rest : leader.step)
        let stops = leader.score - stopCost > resting
        marks[rest] = UInt8(truncatingIfNeeded: stops ? leader.step : rest)
        return stops ? leader.score - stopCost : resting
    }

    /// Adds the log likelihood ratios of a moment, and returns the highest score.
    private static func weigh(
        _ similarity: UnsafePointer<Float>, factor: Float, weight: Float, doubt: Float,
        _ scores: UnsafeMutablePointer<Float>
    ) -> Float {
        PeriodGrid.shared.multipleCounts.withUnsafeBufferPointer { counts in
            guard let counts = counts.baseAddress else { return unlikely }
            var (step, most) = (0, SIMD8<Float>(repeating: -.greatestFiniteMagnitude))
            while step < rowLength {
                let evidence =
                    (similarity.eight(at: step) - 0.5 * factor) * counts.eight(at: step) * weight - doubt
                let score = scores.eight(at: step) + evidence
                scores.set(score, at: step)
                most = most.raised(to: score)
                step &+= 8
            }
            return most.greatest
        }
    }

    /// Subtracts a number from all scores, and returns the highest one, the first among equals.
    private static func level(_ scores: UnsafeMutablePointer<Float>, by most: Float) -> Leader {
        var (place, best) = (
            SIMD8<Float>(0, 1, 2, 3, 4, 5, 6, 7), SIMD8<Float>(repeating: -.greatestFiniteMagnitude)
        )
        var bestPlace = place
        var step = 0
        while step < rowLength {
            let score = scores.eight(at: step) - most
            scores.set(score, at: step)
            bestPlace = score.choose(above: best, place, else: bestPlace)
            best = best.raised(to: score)
            place += 8
            step &+= 8
        }
        var leader = Leader(step: Int(bestPlace[0]), score: best[0])
        for lane in 1..<8 where best[lane] >= leader.score {
            let isFirst = best[lane] > leader.score || Int(bestPlace[lane]) < leader.step
            if isFirst { leader = Leader(step: Int(bestPlace[lane]), score: best[lane]) }
        }
        return leader
    }

    /// Traces the best path back from the newest state.
    private mutating func readPath(from state: Int) {
        var state = state
        path[0] = UInt8(truncatingIfNeeded: state)
        for age in 1...Self.delay {
            let earlier = (row + 1 - age + Self.delay) % Self.delay
            state = source(of: state, row: earlier)
            path[age] = UInt8(truncatingIfNeeded: state)
        }
    }

    private func source(of state: Int, row: Int) -> Int {
        marks.withUnsafeBufferPointer { marks in
            guard let marks = marks.baseAddress.map({ $0 + row * Self.rowLength }) else { return state }
            if state == Self.rest { return Int(marks[Self.rest]) }
            return TrellisTransitions.source(of: state, marks, other: marks[Self.otherPlace])
        }
    }

    mutating func reset() {
        for index in scores.indices { scores[index] = Self.unlikely }
        (resting, leader) = (0, Leader(step: 0, score: Self.unlikely))
        for index in marks.indices {
            marks[index] = index % Self.rowLength == Self.rest ? UInt8(Self.rest) : 0
        }
        for index in path.indices { path[index] = UInt8(Self.rest) }
        row = 0
    }

    /// Whether the restored row lies in the ring, and the leader on the grid.
    var isSound: Bool { row < Self.delay && leader.step < PeriodGrid.count }

    mutating func copyPaths(_ state: inout StateCopy) {
        state.elements(&scores, scores.indices)
        state.elements(&marks, marks.indices)
        state.elements(&path, path.indices)
        state.expect(marks.allSatisfy { $0 <= Self.rest } && path.allSatisfy { $0 <= Self.rest })
    }
}
