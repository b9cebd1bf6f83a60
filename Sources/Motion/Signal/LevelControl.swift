/// Divides a signal by its level of the last moments, so that one gesture does not outweigh seconds of gait in what the lag
/// products remember, and so that they forget at the same pace whether the signal grows or fades.
struct LevelControl {
    /// 1 − exp(−0.04 s / 0.8 s).
    private static let gain: Float = 0.048_8
    /// The largest value passed, in levels.
    private static let limit: Float = 2

    private var energy: Float = 0
    private var isPrimed = false

    @inline(__always)
    mutating func level(_ values: SIMD4<Float>, square: Float, floor: Float) -> SIMD4<Float> {
        if !isPrimed {
            isPrimed = true
            energy = square
        }
        energy += (square - energy) * Self.gain
        let reference = energy + floor * floor
        let isOverLimit = square > Self.limit * Self.limit * reference
        return values * ((isOverLimit ? Self.limit : 1) / (isOverLimit ? square : reference).squareRoot())
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&energy)
        coder.code(&isPrimed)
    }
}
