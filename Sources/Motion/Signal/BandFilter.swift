/// Removes gravity and slow turning (one-pole high-pass at 0.4 Hz) and what is faster than any limb (second-order
/// Butterworth low-pass at 5 Hz by the bilinear transform), on four channels at 25 Hz.
struct BandFilter {
    /// 1 − exp(−2π · 0.4 Hz / 25 Hz).
    private static let meanGain: Float = 0.0956
    // With K = tan(π · 5 Hz / 25 Hz) and g = 1 / (1 + √2·K + K²): b = g·K²·(1, 2, 1), a = (1, 2g(K² − 1), g(1 − √2·K +
    // K²)).
    private static let b0: Float = 0.206_572
    private static let b1: Float = 0.413_144
    private static let a1: Float = -0.369_527
    private static let a2: Float = 0.195_816

    private var isPrimed = false
    /// The slow mean: gravity, and how the sensor is turned.
    private(set) var mean = SIMD4<Float>.zero
    private var state1 = SIMD4<Float>.zero
    private var state2 = SIMD4<Float>.zero
    /// The input without its slow mean, before the low-pass.
    private var detrended = SIMD4<Float>.zero

    /// What is made of an input.
    struct Output {
        let low: SIMD4<Float>
        /// The input without its slow mean, before the low-pass, and how much that changed since the tick before.
        let detrended: SIMD4<Float>
        let change: SIMD4<Float>
    }

    /// Begins with the first input's mean, unless it has begun.
    @inline(__always)
    mutating func prime(_ input: SIMD4<Float>) {
        guard !isPrimed else { return }
        isPrimed = true
        mean = input
    }

    /// Takes the next input; ``prime(_:)`` with the first one before.
    @inline(__always)
    mutating func filter(_ input: SIMD4<Float>) -> Output {
        mean += (input - mean) * Self.meanGain
        let high = input - mean
        let change = high - detrended
        detrended = high
        let output = high * Self.b0 + state1
        state1 = high * Self.b1 - output * Self.a1 + state2
        state2 = high * Self.b0 - output * Self.a2
        return Output(low: output, detrended: high, change: change)
    }

    /// Takes over what a copy of this filter has become: part by part, because a copy that is put back as a whole is
    /// worked on where it came from, and then stored at each input.
    @inline(__always)
    mutating func resume(_ copy: BandFilter) {
        mean = copy.mean
        state1 = copy.state1
        state2 = copy.state2
        detrended = copy.detrended
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&isPrimed)
        coder.code(&mean)
        coder.code(&state1)
        coder.code(&state2)
        coder.code(&detrended)
    }
}

/// Divides signals by their levels of the last moments, so that one gesture does not outweigh seconds of gait in what
/// the lag products remember, and so that they forget at the same pace whether a signal grows or fades.
struct LevelControl {
    /// Which signal sits in which lane.
    enum Lane: Int {
        case acceleration
        /// |a|.
        case norm
        case turning
    }

    /// 1 − exp(−0.04 s / 0.8 s).
    private static let gain: Float = 0.048_8
    /// The largest value passed, in levels.
    private static let limit: Float = 2
    /// Levels under which a signal is not raised, m/s² and rad/s.
    static let accelerationFloor: Float = 0.2
    static let turningFloor: Float = 0.05
    /// Computed, because a stored vector would be asked at each tick whether it is made already.
    private static var floors: SIMD4<Float> {
        @inline(__always) get { SIMD4(accelerationFloor, accelerationFloor, turningFloor, 1) }
    }

    private var energies = SIMD4<Float>.zero

    /// Begins with what a sensor says first.
    mutating func begin(_ lane: Lane, square: Float) {
        energies[lane.rawValue] = square
    }

    /// Forgets a sensor that has fallen silent.
    mutating func end(_ lane: Lane) {
        energies[lane.rawValue] = 0
    }

    /// Divides the signals of ticks by their levels, and says their squares.
    @inline(__always)
    mutating func level(_ ticks: UnsafeMutableBufferPointer<FilteredTick>) {
        var energies = energies
        let floors = Self.floors * Self.floors
        for index in 0..<ticks.count {
            let vector = ticks[index].squares.vector
            let squares = SIMD4(
                vector[SignalEnergies.Lane.vector.rawValue], vector[SignalEnergies.Lane.norm.rawValue],
                vector[SignalEnergies.Lane.turning.rawValue], 0)
            energies += (squares - energies) * Self.gain
            // A signal over the limit is divided by what brings it down to that.
            let reduced = squares * (1 / (Self.limit * Self.limit))
            let factors = 1 / Self.roots((energies + floors).raised(to: reduced))
            let moved = ticks[index].moved * SIMD4(factors.x, factors.x, factors.x, factors.y)
            let turned = ticks[index].turned * factors.z
            (ticks[index].moved, ticks[index].turned) = (moved, turned)
            // As they are made anew from what is remembered when a state is restored.
            ticks[index].levelledSquares = SIMD4(moved.axesSquareSum, moved.w * moved.w, turned.axesSquareSum, 0)
        }
        self.energies = energies
    }

    /// None is negative, but only where that is seen are all roots taken at once.
    @inline(__always)
    private static func roots(_ squares: SIMD4<Float>) -> SIMD4<Float> {
        let squares = squares.raised(to: .zero)
        return SIMD4(
            squares.x.squareRoot(), squares.y.squareRoot(), squares.z.squareRoot(), squares.w.squareRoot())
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&energies)
    }
}
