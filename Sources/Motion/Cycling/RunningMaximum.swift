/// The greatest of the values from one end of a sequence to each of its places, four places at a time.
///
/// Each four values are compared with their neighbours up to three places before, and what is the greatest of four
/// neighbours then with the same of the fours before: a running maximum that waits for single values would wait for all
/// of them.
struct RunningMaximum {
    /// Memory before the first value, seen from the end that is begun at.
    static let margin = 3
    /// Less than anything that is compared.
    static let least = -Float.greatestFiniteMagnitude

    private var greatest = SIMD4<Float>(repeating: least)

    /// The greatest values from the start to each of the next four.
    @inline(__always)
    mutating func rise(to values: UnsafeMutablePointer<Float>) -> SIMD4<Float> {
        take(values.four(at: 0), values.four(at: -1), values.four(at: -2), values.four(at: -3))
    }

    /// The greatest values from the end to each of the four before.
    @inline(__always)
    mutating func fall(to values: UnsafeMutablePointer<Float>) -> SIMD4<Float> {
        take(values.four(at: 0), values.four(at: 1), values.four(at: 2), values.four(at: 3))
    }

    @inline(__always)
    private mutating func take(
        _ own: SIMD4<Float>, _ first: SIMD4<Float>, _ second: SIMD4<Float>, _ third: SIMD4<Float>
    ) -> SIMD4<Float> {
        greatest = greatest.raised(to: own.raised(to: first).raised(to: second.raised(to: third)))
        return greatest
    }
}
