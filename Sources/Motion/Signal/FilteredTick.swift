/// What the filters made of a tick. It waits for the next stage of the work, which goes through some ticks at once, so
/// that each stage keeps its own state in registers. Those of an evaluation must fit 1 KiB.
struct FilteredTick {
    /// Filtered acceleration with |a|, and angular velocity: of a person first as they are and then divided by their
    /// levels.
    var moved: SIMD4<Float>
    var turned: SIMD4<Float>
    /// Filtered magnetic field.
    var magnetic: SIMD4<Float>
    /// Their squares, by ``SignalEnergies/Lane``.
    var squares: EightFloats
    /// Those of signals that are divided by their levels, by ``LevelControl/Lane``.
    var levelledSquares = SIMD4<Float>.zero
}
