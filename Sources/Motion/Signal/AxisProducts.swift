/// The mean products of the parts of a vector: how it moved of late along each axis, and along which together. A
/// symmetric matrix of three rows.
struct AxisProducts {
    /// xx, yy and zz.
    private var squares = SIMD4<Float>.zero
    /// xy, yz and zx.
    private var mixed = SIMD4<Float>.zero

    /// The mean square of the vector.
    var trace: Float { squares.x + squares.y + squares.z }

    /// Takes a vector's x, y and z into the mean, of which the last ones make up as much as `gain`.
    mutating func learn(_ vector: SIMD4<Float>, gain: Float) {
        squares += (vector * vector - squares) * gain
        mixed += (vector * SIMD4(vector.y, vector.z, vector.x, 0) - mixed) * gain
    }

    /// The same, scaled, with as much more movement along every axis.
    func scaled(_ factor: Float, plus more: Float = 0) -> AxisProducts {
        var scaled = self
        scaled.squares = squares * factor + SIMD4(more, more, more, 0)
        scaled.mixed = mixed * factor
        return scaled
    }

    /// The product with a vector.
    func times(_ vector: SIMD4<Float>) -> SIMD4<Float> {
        SIMD4(
            squares.x * vector.x + mixed.x * vector.y + mixed.z * vector.z,
            mixed.x * vector.x + squares.y * vector.y + mixed.y * vector.z,
            mixed.z * vector.x + mixed.y * vector.y + squares.z * vector.z, 0)
    }

    /// The matrix of cofactors: the inverse, times the determinant.
    var adjugate: AxisProducts {
        var adjugate = AxisProducts()
        adjugate.squares = SIMD4(
            squares.y * squares.z - mixed.y * mixed.y, squares.x * squares.z - mixed.z * mixed.z,
            squares.x * squares.y - mixed.x * mixed.x, 0)
        adjugate.mixed = SIMD4(
            mixed.z * mixed.y - mixed.x * squares.z, mixed.x * mixed.z - squares.x * mixed.y,
            mixed.x * mixed.y - mixed.z * squares.y, 0)
        return adjugate
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&squares)
        coder.code(&mixed)
    }
}
