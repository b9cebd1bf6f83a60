import Motion
import Wire

/// The numbers of a device's state. One outside its bounds is clamped when it is written, and makes the state invalid when it
/// is read: every saved state can be restored.
extension ByteCoder {
    /// The largest magnitude of a number in a state: its square is a finite `Float`.
    private static let largestNumber: Float = 1e13
    /// The largest counter in a state: it does not overflow in the life of a process.
    private static let largestCount = UInt64(1) << 62
    /// The largest magnitude of a time or a sum. Sums and differences of values within it cannot overflow.
    static let largestSum = Int64(1) << 55

    mutating func code(_ value: inout UInt64) {
        value = min(value, Self.largestCount)
        code(bits: &value)
        if value > Self.largestCount { reject() }
        value = min(value, Self.largestCount)
    }

    /// A time or a sum.
    mutating func code(_ value: inout Int64) { code(&value, orNone: 0) }

    /// A time or a sum, or one of the extremes where that stands for "none yet".
    mutating func code(_ value: inout Int64, orNone none: Int64) {
        let limit = Self.largestSum
        if value != none { value = min(max(value, -limit), limit) }
        code(bits: &value)
        guard value != none, value.magnitude > limit.magnitude else { return }
        value = 0
        reject()
    }

    mutating func code(_ value: inout Int64?) {
        code(optional: &value, empty: 0) { $0.code(&$1) }
    }

    mutating func code(_ quantity: inout Quantity) {
        var value = quantity.value
        code(&value)
        quantity = Quantity(value)
    }

    mutating func code(_ value: inout Float) {
        var bits = (value.isNaN ? 0 : min(max(value, -Self.largestNumber), Self.largestNumber)).bitPattern
        code(bits: &bits)
        value = Float(bitPattern: bits)
        guard !(-Self.largestNumber...Self.largestNumber).contains(value) else { return }
        value = 0
        reject()
    }

    /// The ranges of a set, up to a limit. Ranges that are empty, overlap or are out of order are not what was written.
    mutating func code(_ set: inout RangeSet<UInt64>, maximum: Int) {
        code(&set, maximum: maximum) { $0.code(&$1) }
    }

    /// The same of times.
    mutating func code(_ set: inout RangeSet<Int64>, maximum: Int) {
        code(&set, maximum: maximum) { $0.code(&$1) }
    }

    private mutating func code<Bound: FixedWidthInteger>(
        _ set: inout RangeSet<Bound>, maximum: Int, bound: (inout ByteCoder, inout Bound) -> Void
    ) {
        var ranges = Array(set.ranges)
        code(array: &ranges, maximum: maximum, empty: 0..<0) { coder, range in
            var (lower, upper) = (range.lowerBound, range.upperBound)
            bound(&coder, &lower)
            bound(&coder, &upper)
            if lower < upper { range = lower..<upper } else { coder.reject() }
        }
        guard isReading else { return }
        set = RangeSet(ranges)
        if Array(set.ranges) != ranges { reject() }
    }
}
