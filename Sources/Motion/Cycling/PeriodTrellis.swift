/// Follows the period of a bike: the likeliest way through the periods, and rest, that explains the last seconds.
///
/// A hidden Markov model whose states are the periods of the grid and rest, read by the Viterbi algorithm with a fixed delay
/// (G. D. Forney, "The Viterbi algorithm", Proc. IEEE 61 (1973) 268): what a moment was is settled by what came after it. A
/// moment's similarity `s` to the moments some periods before scatters about 0 in noise and about `r` while the crank turns;
/// with Gaussian scatter the logarithm of the ratio of likelihoods is `(s − r/2) · r / variance`.
struct PeriodTrellis {
    /// Evaluations (0.4 s) after which a moment is settled.
    static let delay = 6
    static let rest = PeriodGrid.count
    private static let stateCount = PeriodGrid.count + 1
    /// The variance of one lag's similarity that is reckoned with, along one axis and at least: three times that of noise between
    /// 0.4 and 5 Hz over ten ticks, measured as 0.135, because a way through the periods may choose the best of noise.
    private static let variance: Float = 0.408
    private static let leastVariance: Float = 0.136
    /// More similarity than this is not expected: a rider shifts and sways.
    static let mostExpected: Float = 0.8
    /// What changes cost, natural logarithms of their likelihoods: by a step of the grid within 0.4 s (``PeriodGrid/stepCosts``);
    /// to any other period; from rest to one of the periods, once in some minutes; to rest, once a minute.
    private static let jumpCost: Float = 9
    private static let startCost: Float = 9
    private static let stopCost: Float = 4.3

    private var scores = PeriodTrellis.initialScores
    /// The states before, a row an evaluation: a ring.
    private var sources = [UInt8](repeating: UInt8(rest), count: delay * stateCount)
    private var row = 0
    /// The likeliest states, newest first: of now and of each evaluation back to the settled one.
    private(set) var path = [UInt8](repeating: UInt8(rest), count: delay + 1)

    private static let unlikely: Float = -100

    private static var initialScores: [Float] {
        var scores = [Float](repeating: unlikely, count: stateCount)
        scores[rest] = 0
        return scores
    }

    /// The state so many evaluations ago, as it looks from now; ``rest`` is rest.
    func state(age: Int) -> Int { Int(path[min(age, Self.delay)]) }

    /// Goes on by an evaluation, with the number of axes along which the similarity was found, that which is expected of a turning
    /// crank, and what else speaks against one, as the logarithm of odds.
    mutating func push(_ similarity: [Float], freedom: Float, expected: Float, doubt: Float) {
        row = (row + 1) % Self.delay
        let factor = min(expected, Self.mostExpected)
        let weight = factor / max(Self.variance / freedom, Self.leastVariance)
        scores.withUnsafeMutableBufferPointer { scores in
            sources.withUnsafeMutableBufferPointer { sources in
                Self.move(scores, UnsafeMutableBufferPointer(rebasing: sources[(row * Self.stateCount)...]))
            }
            similarity.withUnsafeBufferPointer { similarity in
                PeriodGrid.shared.multipleCounts.withUnsafeBufferPointer { counts in
                    for step in 0..<PeriodGrid.count {
                        scores[step] += (similarity[step] - 0.5 * factor) * counts[step] * weight - doubt
                    }
                }
            }
        }
        readPath()
    }

    /// Finds the likeliest state before each state, and what that makes of its score.
    private static func move(_ scores: UnsafeMutableBufferPointer<Float>, _ sources: UnsafeMutableBufferPointer<UInt8>)
    {
        var (best, bestScore) = (0, scores[0])
        for step in 1..<PeriodGrid.count where scores[step] > bestScore { (best, bestScore) = (step, scores[step]) }
        let resting = scores[rest]
        var (other, otherScore) = (best, bestScore - jumpCost)
        if resting - startCost > otherScore { (other, otherScore) = (rest, resting - startCost) }
        let (likelihoods, stepCosts) = (PeriodGrid.shared.likelihoods, PeriodGrid.shared.stepCosts)
        for step in 0..<PeriodGrid.count { sources[step] = UInt8(truncatingIfNeeded: step) }
        for step in 1..<PeriodGrid.count where scores[step - 1] - stepCosts[step - 1] > scores[step] {
            scores[step] = scores[step - 1] - stepCosts[step - 1]
            sources[step] = sources[step - 1]
        }
        for step in (0..<(PeriodGrid.count - 1)).reversed() where scores[step + 1] - stepCosts[step] > scores[step] {
            scores[step] = scores[step + 1] - stepCosts[step]
            sources[step] = sources[step + 1]
        }
        for step in 0..<PeriodGrid.count where otherScore + likelihoods[step] > scores[step] {
            scores[step] = otherScore + likelihoods[step]
            sources[step] = UInt8(truncatingIfNeeded: other)
        }
        let stops = bestScore - stopCost > resting
        scores[rest] = stops ? bestScore - stopCost : resting
        sources[rest] = UInt8(truncatingIfNeeded: stops ? best : rest)
    }

    /// Reads the way back from the likeliest state of now, and keeps the scores about zero.
    private mutating func readPath() {
        var (state, best) = (Self.rest, scores[Self.rest])
        for step in 0..<PeriodGrid.count where scores[step] > best { (state, best) = (step, scores[step]) }
        for index in scores.indices { scores[index] -= best }
        path[0] = UInt8(truncatingIfNeeded: state)
        for age in 1...Self.delay {
            let earlier = (row + 1 - age + Self.delay) % Self.delay
            state = Int(sources[earlier * Self.stateCount + state])
            path[age] = UInt8(truncatingIfNeeded: state)
        }
    }

    mutating func reset() {
        for index in scores.indices { scores[index] = index == Self.rest ? 0 : Self.unlikely }
        for index in sources.indices { sources[index] = UInt8(Self.rest) }
        for index in path.indices { path[index] = UInt8(Self.rest) }
        row = 0
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(floats: &scores, range: 0..<Self.stateCount)
        coder.code(&row, in: 0...(Self.delay - 1))
        for index in sources.indices { Self.transfer(&sources[index], &coder) }
        for index in path.indices { Self.transfer(&path[index], &coder) }
    }

    private static func transfer(_ state: inout UInt8, _ coder: inout some StateCoder) {
        var bits = UInt64(state)
        coder.code(bits: &bits, byteCount: 1)
        if bits > rest { coder.reject() }
        state = UInt8(truncatingIfNeeded: min(bits, UInt64(rest)))
    }
}
