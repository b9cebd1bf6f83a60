/// How similar the last moments are to the period before them: high while the crank turns, low soon after it stopped,
/// also where noise hides the stop from the energy.
struct CoherenceGauge {
    /// The averaging time as a share of the period, and at least, ticks: long enough that noise seldom looks like a stop,
    /// and short enough that a stop shows within 2.5 periods or 3 s.
    private static let periodShare: Float = 0.9
    private static let leastTicks: Float = 20

    private var product: Float = 0
    private var energy: Float = 0
    /// The period in whole ticks; 0 without one.
    private(set) var lag = 0
    private var gain: Float = 0.1

    mutating func follow(periodTicks: Float) {
        let rounded = Int(min(max(periodTicks, 1), Float(LagProducts.lagCount - 1)).rounded())
        if lag == 0 {
            product = 0
            energy = 0
        }
        lag = rounded
        gain = 1 / max(Self.periodShare * periodTicks, Self.leastTicks)
    }

    mutating func release() {
        lag = 0
    }

    /// Takes a tick's moment with its past a ``lag`` before.
    @inline(__always)
    mutating func push(_ moment: SignalFront.Moment) {
        guard lag > 0 else { return }
        product += (moment.product - product) * gain
        energy += (moment.energy - energy) * gain
    }

    /// −1…1, or nil without a period.
    var coherence: Float? {
        lag > 0 && energy > 0 ? product / energy : nil
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&product)
        coder.code(&energy)
        coder.code(&lag, in: 0...(LagProducts.lagCount - 1))
        coder.code(&gain)
    }
}
