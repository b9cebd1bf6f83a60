internal import CMotion

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The prior of a rider's cadence: lognormal about 75 rpm, mixed with a lognormal about this rider's recent cadence.
///
/// Riders choose 80 to 95 rpm (A. P. Marsh, P. E. Martin, "Effect of cycling experience, aerobic power, and power output on
/// preferred and most economical cycling cadences", Med. Sci. Sports Exerc. 29 (1997) 1225), in classes and in therapy less.
struct CadencePrior {
    private static let middle: Float = 75
    private static let spread: Float = 0.35
    private static let recentSpread: Float = 0.3
    /// The least likelihood of any cadence, relative to the highest.
    private static let least: Float = 0.01
    /// The gain of the recent cadence, an evaluation.
    private static let following: Float = 0.03

    /// The recent cadence, rpm; 0 before the first one.
    private var recentRPM: Float = 0

    mutating func learn(_ rpm: Float) {
        recentRPM = recentRPM > 0 ? recentRPM + (rpm - recentRPM) * Self.following : rpm
    }

    /// The log prior of a period, as a whole revolution or half of one, without a recent cadence.
    static func likelihood(ofPeriodTicks lag: Float) -> Float {
        let rpm = 60 / (max(lag, 1) * Tick.seconds)
        return log(
            max(lognormal(rpm, about: middle, spread: spread), lognormal(rpm / 2, about: middle, spread: spread))
                + least)
    }

    /// The prior log odds that a period is half a revolution.
    func oddsOfHalf(periodTicks: Float) -> Float {
        let rpm = 60 / (max(periodTicks, 1) * Tick.seconds)
        return log(likelihood(rpm / 2)) - log(likelihood(rpm))
    }

    private func likelihood(_ rpm: Float) -> Float {
        let general = Self.lognormal(rpm, about: Self.middle, spread: Self.spread)
        guard recentRPM > 0 else { return general + Self.least }
        return 0.5 * (general + Self.lognormal(rpm, about: recentRPM, spread: Self.recentSpread)) + Self.least
    }

    private static func lognormal(_ rpm: Float, about middle: Float, spread: Float) -> Float {
        let distance = log(rpm / middle) / spread
        return exp(-0.5 * distance * distance)
    }
}

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

    private static let unlikely: Float = -100

    /// The log-likelihood of the best path to each state, rest the last, relative to the best of all.
    private var scores = PeriodTrellis.firstScores
    /// The likeliest period.
    private var leader = 0
    /// The state before each state, on the best path to it: a row an evaluation, in a ring.
    private var sources = PeriodTrellis.firstSources
    private var row = 0
    /// The states of the best path, from the newest to the settled one.
    private(set) var path = [UInt8](repeating: UInt8(rest), count: delay + 1)

    private static let stateCount = rest + 1
    private static let firstScores = Array(repeating: unlikely, count: rest) + [0]
    private static let firstSources = (0..<delay * stateCount).map { UInt8($0 % stateCount) }

    /// Whether the last evaluation was the first of the lag, as one of ``delay`` is.
    var isFirstOfLag: Bool { row == 0 }

    /// The state of the best path at an age in evaluations.
    func state(age: Int) -> Int { Int(path[min(age, Self.delay)]) }

    /// Takes the next evaluation.
    ///
    /// Let c(p) be the cost of all steps of the grid up to period p. The best path up to p has the score max over q ≤ p of
    /// score(q) + c(q), less c(p): a running maximum, and so is the path down.
    /// - Parameters:
    ///   - similarity: The comb scores by period.
    ///   - axisCount: The effective number of independent axes.
    ///   - expected: The expected similarity of a turning crank.
    ///   - doubt: Further log odds against pedalling.
    mutating func push(_ similarity: [Float], axisCount: Float, expected: Float, doubt: Float) {
        row = (row + 1) % Self.delay
        let (resting, led, former) = (scores[Self.rest], scores[leader], leader)
        let starts = resting - Self.startCost > led - Self.jumpCost
        let stops = led - Self.stopCost > resting
        let jump = starts ? resting - Self.startCost : led - Self.jumpCost
        let factor = min(expected, Self.mostExpected)
        let weight = factor / max(Self.variance / axisCount, Self.leastVariance)
        let evidence = motion_evidence(
            jump: jump, origin: Float(starts ? Self.rest : former), middle: 0.5 * factor, weight: weight, doubt: doubt)
        let (newest, grid) = (row * Self.stateCount, PeriodGrid.shared)
        var (found, highest) = (Int32(0), Float(0))
        scores.withUnsafeMutableBufferPointer { scores in
            sources.withUnsafeMutableBufferPointer { sources in
                withUnsafePointer(to: evidence) {
                    motion_trellis(
                        scores.baseAddress, sources.baseAddress.map { $0 + newest }, grid.climbCosts, grid.likelihoods,
                        similarity, grid.multipleCounts, $0, &found, &highest)
                }
                scores[Self.rest] = stops ? led - Self.stopCost : resting
                sources[newest + Self.rest] = UInt8(truncatingIfNeeded: stops ? former : Self.rest)
                let most = max(highest, scores[Self.rest])
                for state in 0..<Self.stateCount { scores[state] -= most }
            }
        }
        leader = Int(found)
        readPath(from: scores[leader] > scores[Self.rest] ? leader : Self.rest)
    }

    /// Traces the best path back from the newest state.
    private mutating func readPath(from state: Int) {
        var state = state
        path[0] = UInt8(truncatingIfNeeded: state)
        for age in 1...Self.delay {
            let earlier = (row + 1 - age + Self.delay) % Self.delay
            state = Int(sources[earlier * Self.stateCount + state])
            path[age] = UInt8(truncatingIfNeeded: state)
        }
    }

    mutating func reset() {
        (scores, sources) = (Self.firstScores, Self.firstSources)
        (leader, row) = (0, 0)
        for age in path.indices { path[age] = UInt8(Self.rest) }
    }

    /// Whether the restored row lies in the ring, and the leader on the grid.
    var isSound: Bool { row < Self.delay && leader < PeriodGrid.count }

    mutating func copyPaths(_ state: inout StateCopy) {
        state.elements(&scores, scores.indices)
        state.elements(&sources, sources.indices)
        state.elements(&path, path.indices)
        state.expect(sources.allSatisfy { $0 <= Self.rest } && path.allSatisfy { $0 <= Self.rest })
    }
}
