internal import CMotion

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The candidate periods of a bike: a logarithmic grid of 24 steps to an octave, from 0.21 s (half a turn at 140 rpm) to 3.1
/// s (a turn at 19 rpm). Multiples of a period fall on the grid or close to it: three times a period is 38 steps up.
struct PeriodGrid: Sendable {
    static let count = CMotionPeriods
    /// The length of arrays by period: whole groups of eight, for SIMD.
    static let paddedCount = 96
    /// The shortest period, ticks.
    private static let shortestLag = 5.3
    /// Steps from a period to its double.
    static let octave = 24
    /// The natural logarithm of the ratio of neighbouring periods.
    static let logStep: Float = 0.028_881
    /// The multiples of a period that are compared, and how many steps above it they lie.
    static let multiples: [(steps: Int, factor: Float)] = [(0, 1), (24, 2), (38, 3), (48, 4), (62, 6), (72, 8)]

    /// The cost of a step up to this period, ticks.
    private static let quickStepCost: Float = 0.4
    private static let quickLag: Float = 16

    static let shared = PeriodGrid()

    /// The periods, ticks.
    let lags: [Float]
    /// The log prior of each period.
    let likelihoods: [Float]
    /// The cost of a change of the period within 0.4 s, a negative log-likelihood, as the sum of the costs of all steps
    /// up to each period. Legs change their pace by the turn, so a step costs more where turns are slow. There
    /// neighbouring periods have little noise in common, and the cost also keeps the path from following its peaks.
    let climbCosts: [Float]
    /// How many multiples of each period lie within the grid.
    let multipleCounts: [Float]
    /// Interpolation between whole lags: the second of four neighbours of each period, and their weights, transposed for
    /// eight periods at once.
    private let firstLags: [Int32]
    private let weights: [Float]

    /// The last lag within each period that is clear of the period's own peak.
    private let lastBetween: [Int32]
    /// One over the number of lags from ``noiseLag`` up to each lag.
    private let shares: [Float]
    /// The correlation length of noise, ticks. Means begin there.
    private static let noiseLag = 4

    private init() {
        let exact = (0..<Self.count).map { Self.shortestLag * exp2(Double($0) / Double(Self.octave)) }
        lags = exact.map { Float($0) }
        let padding = Array(repeating: Float.zero, count: Self.paddedCount - Self.count)
        likelihoods = lags.map { CadencePrior.likelihood(ofPeriodTicks: $0) } + padding
        let stepCosts = lags.dropLast().map { Self.quickStepCost * max(1, $0 / Self.quickLag) }
        climbCosts = stepCosts.reduce(into: [0]) { sums, cost in sums.append((sums.last ?? 0) + cost) } + padding
        multipleCounts =
            exact.indices.map { step in Float(Self.multiples.count { step + $0.steps < Self.count }) }
            + Array(repeating: 1, count: Self.paddedCount - Self.count)
        let whole = exact.map { min(Int($0), BikeWindow.lagCount - 3) }
        firstLags = whole.map { Int32($0) } + Array(repeating: 1, count: Self.paddedCount - Self.count)
        lastBetween = exact.map { lag in
            Int32(max(min(Self.noiseLag, Int((lag / 2).rounded())), Int(lag.rounded()) - Self.noiseLag))
        }
        shares = (0..<BikeWindow.lagCount).map { 1 / Float(max($0 - Self.noiseLag + 1, 1)) }
        let cubic =
            zip(exact, whole).map { lag, whole in Cubic.weights(Float(lag) - Float(whole)) }
            + Array(repeating: .zero, count: Self.paddedCount - Self.count)
        weights = stride(from: 0, to: Self.paddedCount, by: 8).flatMap { first in
            (0..<4).flatMap { lag in (first..<first + 8).map { cubic[$0][lag] } }
        }
    }

    /// Lends the grid to loops in C.
    @inline(__always)
    func lend(_ body: (UnsafePointer<motion_grid>) -> Void) {
        func pointer<Number>(_ numbers: [Number]) -> UnsafePointer<Number>? {
            // The grid is shared and never ends, and its arrays stay where they are.
            numbers.withUnsafeBufferPointer { $0.baseAddress }
        }
        var grid = motion_grid()
        (grid.first_lags, grid.last_between) = (pointer(firstLags), pointer(lastBetween))
        (grid.weights, grid.shares, grid.counts) = (pointer(weights), pointer(shares), pointer(multipleCounts))
        grid.steps = Self.steps
        withUnsafePointer(to: grid, body)
    }

    private static let steps = multiples.withUnsafeBufferPointer { multiples in
        func step(_ number: Int) -> Int32 { Int32(multiples[number].steps) }
        return (step(0), step(1), step(2), step(3), step(4), step(5))
    }

    /// After how many periods a share of the comparable multiples lies within the signal.
    func repetitions(share: Float, lag: Float) -> Float {
        let factors = Self.multiples.map(\.factor)
        let count = factors.count { $0 * lag < Float(BikeWindow.lagCount - 1) }
        let covered = min(max(share, 0), 1) * Float(count)
        let whole = min(Int(covered), max(count - 1, 0))
        let before = whole > 0 ? factors[whole - 1] : 0
        return before + (factors[whole] - before) * (covered - Float(whole))
    }

    /// The period between two steps, ticks.
    func lag(at step: Int, shift: Float) -> Float {
        lags[step] * exp(shift * Self.logStep)
    }
}
