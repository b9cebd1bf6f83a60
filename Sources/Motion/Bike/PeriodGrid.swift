internal import CMotion

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The candidate periods of a bike: a logarithmic grid of 24 steps to an octave, from 0.21 s (half a turn at 140 rpm)
/// to 3.1 s (a turn at 19 rpm). Multiples of a period fall on the grid or close to it: three times a period is 38 steps
/// up.
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
    /// four periods at once.
    private let firstLags: [Int]
    private let weights: [SIMD4<Float>]

    /// The last lag within each period that is clear of the period's own peak.
    private let lastBetween: [Int]
    /// One over the number of lags from ``noiseLag`` up to each lag.
    private let shares: [Float]
    /// The correlation length of noise, ticks.
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
        firstLags = whole + Array(repeating: 1, count: Self.paddedCount - Self.count)
        lastBetween = exact.map { lag in
            max(min(Self.noiseLag, Int((lag / 2).rounded())), Int(lag.rounded()) - Self.noiseLag)
        }
        shares = (0..<BikeWindow.lagCount).map { 1 / Float(max($0 - Self.noiseLag + 1, 1)) }
        weights = Self.transposed(
            zip(exact, whole).map { lag, whole in Cubic.weights(Float(lag) - Float(whole)) }
                + Array(repeating: .zero, count: Self.paddedCount - Self.count))
    }

    /// Transposes blocks of four: all first weights, then all second, third and fourth ones.
    private static func transposed(_ weights: [SIMD4<Float>]) -> [SIMD4<Float>] {
        weights.indices.map { place in
            let first = place / 4 * 4
            return SIMD4((0..<4).map { weights[first + $0][place - first] })
        }
    }

    /// The values of a curve at the periods, padded with zeros.
    func values(of curve: LagCurve, into values: UnsafeMutablePointer<Float>) {
        curve.withValues { curve in
            guard let curve = curve.baseAddress else { return }
            firstLags.withUnsafeBufferPointer { firstLags in
                weights.withUnsafeBufferPointer { weights in
                    func near(_ step: Int) -> SIMD4<Float> { curve.four(at: firstLags[step] &- 1) }
                    var step = 0
                    while step < Self.paddedCount {
                        let (a, b, c, d) = (near(step), near(step &+ 1), near(step &+ 2), near(step &+ 3))
                        let outer =
                            SIMD4(a.x, b.x, c.x, d.x) * weights[step]
                            + SIMD4(a.w, b.w, c.w, d.w) * weights[step &+ 3]
                        let inner =
                            SIMD4(a.y, b.y, c.y, d.y) * weights[step &+ 1]
                            + SIMD4(a.z, b.z, c.z, d.z) * weights[step &+ 2]
                        values.set(inner + outer, at: step)
                        step &+= 4
                    }
                }
            }
        }
    }

    /// How far the mean of a curve over the lags within each period exceeds a limit. Lags close to 0 and to the period
    /// are left out, because noise is correlated there too. False where no mean exceeds it.
    func excesses(of curve: LagCurve, above limit: Float, into excesses: UnsafeMutablePointer<Float>) -> Bool {
        curve.withValues { curve in
            shares.withUnsafeBufferPointer { shares in
                withUnsafeTemporaryAllocation(of: Float.self, capacity: BikeWindow.lagCount) { means in
                    guard let curve = curve.baseAddress, let shares = shares.baseAddress,
                        let means = means.baseAddress,
                        Self.average(curve, shares, into: means) > limit
                    else { return false }
                    for step in 0..<Self.count { excesses[step] = max(means[lastBetween[step]] - limit, 0) }
                    for step in Self.count..<Self.paddedCount { excesses[step] = 0 }
                    return true
                }
            }
        }
    }

    /// Writes the running means of a curve from ``noiseLag`` up to each lag, and returns the highest.
    @inline(__always)
    private static func average(
        _ curve: UnsafePointer<Float>, _ shares: UnsafePointer<Float>, into means: UnsafeMutablePointer<Float>
    ) -> Float {
        means.set(curve.four(at: 0), at: 0)
        var (lag, before) = (noiseLag, SIMD4<Float>.zero)
        var most = SIMD4<Float>(repeating: means[noiseLag - 1])
        while lag < BikeWindow.lagCount {
            var four = curve.four(at: lag)
            // A prefix sum by multiplication with masks: vectors built with zeros would be added lane by lane.
            four += SIMD4(four.x, four.x, four.y, four.z) * SIMD4(0, 1, 1, 1)
            four += SIMD4(four.x, four.x, four.x, four.y) * SIMD4(0, 0, 1, 1)
            four += before
            before = SIMD4(repeating: four.w)
            let mean = four * shares.four(at: lag)
            means.set(mean, at: lag)
            most = most.raised(to: mean)
            lag &+= 4
        }
        return most.greatest
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
