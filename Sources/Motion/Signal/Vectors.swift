internal import CMotion

/// Eight stored floats that are read as one vector.
///
/// Two halves and not a `SIMD8`: a stored vector of 32 bytes would give the whole pipeline 32-byte alignment, while the
/// frames of async functions are aligned to 16 bytes, and Swift 6.3 writes past them where a local value needs more.
struct EightFloats: Sendable, Equatable {
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

    subscript(lane: Int) -> Float {
        get { lane < 4 ? low[lane] : high[lane - 4] }
        set { if lane < 4 { low[lane] = newValue } else { high[lane - 4] = newValue } }
    }
}

/// Comparisons lane by lane that Swift 6.3 compiles to vector instructions. It compiles `pointwiseMax` and
/// `replacing(with:where:)` of the standard library to calls and branches, or twice as many instructions.
extension SIMD4<Float> {
    /// The greater one in each lane.
    @inline(__always)
    func raised(to least: SIMD4<Float>) -> SIMD4<Float> {
        SIMD4(
            x > least.x ? x : least.x, y > least.y ? y : least.y, z > least.z ? z : least.z, w > least.w ? w : least.w)
    }

    /// The smaller one in each lane.
    @inline(__always)
    func lowered(to most: SIMD4<Float>) -> SIMD4<Float> {
        SIMD4(x < most.x ? x : most.x, y < most.y ? y : most.y, z < most.z ? z : most.z, w < most.w ? w : most.w)
    }
}

extension SIMD8<Float> {
    /// The greater one in each lane.
    @inline(__always)
    func raised(to least: SIMD8<Float>) -> SIMD8<Float> {
        SIMD8(lowHalf: lowHalf.raised(to: least.lowHalf), highHalf: highHalf.raised(to: least.highHalf))
    }

    /// The smaller one in each lane.
    @inline(__always)
    func lowered(to most: SIMD8<Float>) -> SIMD8<Float> {
        SIMD8(lowHalf: lowHalf.lowered(to: most.lowHalf), highHalf: highHalf.lowered(to: most.highHalf))
    }

    /// Natural logarithms of positive numbers.
    var logarithms: SIMD8<Float> {
        var numbers = EightFloats(self)
        withUnsafeMutableBytes(of: &numbers) {
            motion_logarithms($0.baseAddress?.assumingMemoryBound(to: Float.self))
        }
        return numbers.vector
    }
}

/// Unaligned vectors of four neighbouring values.
extension UnsafeMutablePointer<Float> {
    @inline(__always)
    func four(at index: Int) -> SIMD4<Float> {
        UnsafeRawPointer(self + index).loadUnaligned(as: SIMD4<Float>.self)
    }

    @inline(__always)
    func set(_ values: SIMD4<Float>, at index: Int) {
        UnsafeMutableRawPointer(self + index).storeBytes(of: values, as: SIMD4<Float>.self)
    }
}
