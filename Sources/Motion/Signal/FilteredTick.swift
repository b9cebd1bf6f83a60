/// What the filters made of a tick. It waits for the next stage of the work, which goes through a few ticks at once, so
/// that each stage keeps its own state in registers.
struct FilteredTick {
    /// Filtered acceleration with |a|, angular velocity and magnetic field.
    let moved: SIMD4<Float>
    let turned: SIMD4<Float>
    let magnetic: SIMD4<Float>
    /// Their squares, by ``SignalEnergies/Lane``.
    let squares: EightFloats
}
