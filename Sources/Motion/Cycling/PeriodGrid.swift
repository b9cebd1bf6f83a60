#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The periods that are looked for on a bike: 24 to an octave, from 0.21 s, half a turn at 140 rpm, to 3.1 s, a whole one at
/// 19 rpm. Like the notes of a scale, so that multiples of one are others, or hardly beside them: three times a period is 38
/// steps up.
struct PeriodGrid: Sendable {
    static let count = 94
    /// The shortest period, ticks.
    private static let shortestLag = 5.3
    /// Steps to twice a period.
    static let octave = 24
    /// From one step to the next, in natural logarithms.
    static let logStep: Float = 0.028_881
    /// By how many steps a multiple of a period lies above it, and which multiple.
    static let multiples: [(steps: Int, factor: Float)] = [(0, 1), (24, 2), (38, 3), (48, 4), (62, 6), (72, 8)]

    /// What a step costs up to this period, ticks.
    private static let quickStepCost: Float = 0.4
    private static let quickLag: Float = 16

    static let shared = PeriodGrid()

    /// The periods, ticks.
    let lags: [Float]
    /// The logarithm of how likely each is beforehand.
    let likelihoods: [Float]
    /// What a change of the period to the next step, or back from it, within 0.4 s costs, as the natural logarithm of its
    /// likelihood: legs change their pace by the turn, so that a slow one changes less in the same time. It also keeps the
    /// way from following the best of noise there, where neighbours have little in common.
    let stepCosts: [Float]
    /// How many of the multiples fit the lags that are followed.
    let multipleCounts: [Float]
    /// Where between whole lags each period lies: the second of four neighbours, and what each of them weighs (cubic
    /// convolution with a = −½: R. G. Keys, IEEE Trans. ASSP 29 (1981) 1153).
    private let firstLags: [Int]
    private let weights: [SIMD4<Float>]

    /// The lags between a period and none, and one over how many.
    private let between: [(first: Int, last: Int, share: Float)]
    /// So long is noise like itself, ticks.
    private static let noiseLag = 4

    private init() {
        let exact = (0..<Self.count).map { Self.shortestLag * exp2(Double($0) / Double(Self.octave)) }
        lags = exact.map { Float($0) }
        likelihoods = lags.map { CadencePrior.likelihood(ofPeriodTicks: $0) }
        stepCosts = lags.map { Self.quickStepCost * max(1, $0 / Self.quickLag) }
        multipleCounts = exact.indices.map { step in
            Float(Self.multiples.count { step + $0.steps < Self.count })
        }
        let whole = exact.map { min(Int($0), LagProducts.lagCount - 3) }
        firstLags = whole
        between = exact.map { lag in
            let first = min(Self.noiseLag, Int((lag / 2).rounded()))
            let last = max(first, Int(lag.rounded()) - Self.noiseLag)
            return (first, last, 1 / Float(last - first + 1))
        }
        weights = zip(exact, whole).map { lag, whole in Self.weights(Float(lag) - Float(whole)) }
    }

    private static func weights(_ t: Float) -> SIMD4<Float> {
        let (square, cube) = (t * t, t * t * t)
        let inner = SIMD4<Float>(-t, 2, t, 0) + SIMD4<Float>(2, -5, 4, -1) * square
        return 0.5 * (inner + SIMD4<Float>(-1, 3, -3, 1) * cube)
    }

    /// The values of a curve at the periods.
    func values(of curve: LagCurve, into values: inout [Float]) {
        curve.withValues { curve in
            let curve = UnsafeRawBufferPointer(curve)
            values.withUnsafeMutableBufferPointer { values in
                firstLags.withUnsafeBufferPointer { firstLags in
                    weights.withUnsafeBufferPointer { weights in
                        for step in 0..<Self.count {
                            let near = curve.loadUnaligned(
                                fromByteOffset: (firstLags[step] &- 1) &* 4, as: SIMD4<Float>.self)
                            values[step] = (near * weights[step]).sum()
                        }
                    }
                }
            }
        }
    }

    /// The means of a curve between each period and none, but for what is next to either: noise, too, is like itself for a
    /// moment.
    func means(of curve: LagCurve, into means: inout [Float]) {
        curve.withValues { curve in
            withUnsafeTemporaryAllocation(of: Float.self, capacity: LagProducts.lagCount) { sums in
                var sum: Float = 0
                for lag in 0..<LagProducts.lagCount {
                    sum += curve[lag]
                    sums[lag] = sum
                }
                means.withUnsafeMutableBufferPointer { means in
                    between.withUnsafeBufferPointer { between in
                        for step in 0..<Self.count {
                            let (first, last, share) = between[step]
                            means[step] = (sums[last] - sums[first - 1]) * share
                        }
                    }
                }
            }
        }
    }

    /// After how many periods this share of the multiples that fit has been heard of.
    func repetitions(share: Float, lag: Float) -> Float {
        let factors = Self.multiples.map(\.factor)
        let count = factors.count { $0 * lag < Float(LagProducts.lagCount - 1) }
        let heard = min(max(share, 0), 1) * Float(count)
        let whole = min(Int(heard), max(count - 1, 0))
        let before = whole > 0 ? factors[whole - 1] : 0
        return before + (factors[whole] - before) * (heard - Float(whole))
    }

    /// A period between steps, ticks.
    func lag(at step: Int, shift: Float) -> Float {
        lags[step] * exp(shift * Self.logStep)
    }
}
