/// Divides signals by their levels of the last moments, so that one gesture does not outweigh seconds of gait in what the lag
/// products remember, and so that they forget at the same pace whether a signal grows or fades.
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
    /// Computed, because a stored vector would be asked at each tick whether it is made already.
    private static var floors: SIMD4<Float> {
        @inline(__always) get { SIMD4(0.2, 0.2, 0.05, 1) }
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

    /// What the signals with these squares are to be multiplied by.
    @inline(__always)
    mutating func factors(squares: SIMD4<Float>) -> SIMD4<Float> {
        energies += (squares - energies) * Self.gain
        let references = energies + Self.floors * Self.floors
        // A signal over the limit is divided by what brings it down to that.
        let reduced = squares * (1 / (Self.limit * Self.limit))
        let radicands = references.replacing(with: reduced, where: reduced .> references)
        // None is negative, but only where that is seen are all roots taken at once.
        return 1
            / SIMD4(
                max(radicands.x, 0).squareRoot(), max(radicands.y, 0).squareRoot(), max(radicands.z, 0).squareRoot(),
                max(radicands.w, 0).squareRoot())
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&energies)
    }
}
