/// The parabola through a maximum and its neighbours, which tells where between them the top is.
enum Parabola {
    /// How far the top is from the middle value, in the distance of two values; 0 where the three are no maximum.
    @inline(__always)
    static func shift(_ left: Float, _ middle: Float, _ right: Float) -> Float {
        let curvature = left - 2 * middle + right
        return curvature < 0 ? 0.5 * (left - right) / curvature : 0
    }
}
