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
