/// Eight floats that are kept, to be worked on as one vector.
///
/// Two halves and not a `SIMD8`, because a kept vector of 32 bytes would give the whole pipeline 32-byte alignment, and
/// the frames of async functions are aligned to 16 bytes: Swift 6.3 writes past them where a local value wants more.
struct EightFloats: Sendable {
    private var low: SIMD4<Float>
    private var high: SIMD4<Float>

    @inline(__always)
    init(_ vector: SIMD8<Float> = .zero) {
        (low, high) = (vector.lowHalf, vector.highHalf)
    }

    @inline(__always)
    var vector: SIMD8<Float> {
        get { SIMD8(lowHalf: low, highHalf: high) }
        set { (low, high) = (newValue.lowHalf, newValue.highHalf) }
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&low)
        coder.code(&high)
    }
}
