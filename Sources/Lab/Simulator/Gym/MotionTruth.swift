/// Something that was counted in truth.
package enum MotionEvent: Sendable, Hashable {
    /// A foot touched the ground.
    case step
    /// The crank came round.
    case revolution
}

/// An event with its instant.
package struct TimedMotionEvent: Sendable, Hashable {
    /// The truth.
    package var event: MotionEvent
    /// The time: microseconds since 1970, UTC, by a perfect clock.
    package var microseconds: Int64
}

/// The truth, counted.
package struct MotionTruth: Sendable, Hashable {
    /// Feet that touched the ground.
    package private(set) var steps = 0
    /// Revolutions that the crank completed.
    package private(set) var revolutions = 0
    /// Metres gone up on foot, on stairs.
    package private(set) var ascendedMetres = 0.0
    /// Metres gone down on foot, on stairs.
    package private(set) var descendedMetres = 0.0

    /// Nothing happened yet.
    package init() {}

    /// Counts one event.
    package mutating func add(_ event: MotionEvent) {
        switch event {
        case .step: steps += 1
        case .revolution: revolutions += 1
        }
    }

    /// Notes how far the walker has gone up and down on foot in all.
    package mutating func note(climbed: (up: Double, down: Double)) {
        ascendedMetres = climbed.up
        descendedMetres = climbed.down
    }

    /// The sum of two stretches.
    package static func + (lhs: MotionTruth, rhs: MotionTruth) -> MotionTruth { lhs.adding(rhs, sign: 1) }

    /// The difference from an earlier moment to a later one.
    package static func - (later: MotionTruth, earlier: MotionTruth) -> MotionTruth { later.adding(earlier, sign: -1) }

    private func adding(_ other: MotionTruth, sign: Int) -> MotionTruth {
        var sum = self
        sum.steps += sign * other.steps
        sum.revolutions += sign * other.revolutions
        sum.ascendedMetres += Double(sign) * other.ascendedMetres
        sum.descendedMetres += Double(sign) * other.descendedMetres
        return sum
    }
}
