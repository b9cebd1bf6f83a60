/// A number of steps, revolutions, micrometres or milliseconds that follows from what a device said.
///
/// Its arithmetic neither traps nor wraps: it stops at `ceiling`, which is beyond anything that is made in a lifetime. What
/// devices say is checked before (`MotionRecord.isWithinBounds`, `Allowance`); this is for what they say one after another for
/// ever, and for lengths that a config multiplies it with.
package struct Quantity: Sendable, Hashable, Comparable, ExpressibleByIntegerLiteral {
    /// The largest magnitude: the sum of two fits into 64 bits.
    package static let ceiling: Int64 = 1 << 62 - 1

    package private(set) var value: Int64

    package init(_ value: Int64) { self.value = min(max(value, -Self.ceiling), Self.ceiling) }

    package init(integerLiteral value: Int64) { self.init(value) }

    /// The nearest whole number; 0 for what is no number.
    package init(rounding number: Double) {
        let bounded = min(max(number, -Double(Self.ceiling)), Double(Self.ceiling))
        self.init(bounded.isNaN ? 0 : Int64(bounded.rounded()))
    }

    package static func < (left: Quantity, right: Quantity) -> Bool { left.value < right.value }
    package static func + (left: Quantity, right: Quantity) -> Quantity { Quantity(left.value &+ right.value) }
    package static func - (left: Quantity, right: Quantity) -> Quantity { Quantity(left.value &- right.value) }
    package static func += (left: inout Quantity, right: Quantity) { left = left + right }
    package static func -= (left: inout Quantity, right: Quantity) { left = left - right }

    package static func * (left: Quantity, right: Quantity) -> Quantity {
        let (product, overflow) = left.value.multipliedReportingOverflow(by: right.value)
        guard overflow else { return Quantity(product) }
        return Quantity((left.value < 0) == (right.value < 0) ? ceiling : -ceiling)
    }
}
