/// The greatest of the values from one end of a sequence to each of its places.
///
/// Each value is compared with its neighbour, each of these with that two further on, and then fours with the four
/// before: a running maximum that waits for single values would wait for all of them.
struct RunningMaximum {
    /// Memory beside the values on both sides, which is written to.
    static let margin = 4
    /// Less than anything that is compared.
    private static let least = -Float.greatestFiniteMagnitude

    private let values: UnsafeMutablePointer<Float>
    private let count: Int

    /// Takes values, a whole number of fours of them, in memory with a ``margin`` on both sides.
    @inline(__always)
    init(_ values: UnsafeMutablePointer<Float>, count: Int) {
        self.values = values
        self.count = count
        values.set(SIMD4(repeating: Self.least), at: -Self.margin)
        values.set(SIMD4(repeating: Self.least), at: count)
    }

    /// Replaces each value by the greatest of those up to it.
    @inline(__always)
    func fromStart() {
        for distance in 1...2 {
            var index = count &- 4
            while index >= 0 {
                values.set(values.four(at: index).raised(to: values.four(at: index &- distance)), at: index)
                index &-= 4
            }
        }
        var (index, before) = (0, SIMD4<Float>(repeating: Self.least))
        while index < count {
            before = before.raised(to: values.four(at: index))
            values.set(before, at: index)
            index &+= 4
        }
    }

    /// Replaces each value by the greatest of those from it on.
    @inline(__always)
    func fromEnd() {
        for distance in 1...2 {
            var index = 0
            while index < count {
                values.set(values.four(at: index).raised(to: values.four(at: index &+ distance)), at: index)
                index &+= 4
            }
        }
        var (index, after) = (count &- 4, SIMD4<Float>(repeating: Self.least))
        while index >= 0 {
            after = after.raised(to: values.four(at: index))
            values.set(after, at: index)
            index &-= 4
        }
    }
}
