/// What truly happened, counted.
public struct MotionTruth: Sendable, Hashable {
    /// Feet that touched the ground.
    public private(set) var steps = 0
    /// Revolutions that the crank completed.
    public private(set) var revolutions = 0
    /// Metres gone up on foot, on stairs.
    public private(set) var ascendedMetres = 0.0
    /// Metres gone down on foot, on stairs.
    public private(set) var descendedMetres = 0.0

    /// Nothing happened yet.
    public init() {}

    /// Counts one event.
    public mutating func add(_ event: MotionEvent) {
        switch event {
        case .step: steps += 1
        case .revolution: revolutions += 1
        }
    }

    /// Notes how far somebody has gone up and down on foot in all.
    mutating func note(climbed: (up: Double, down: Double)) {
        ascendedMetres = climbed.up
        descendedMetres = climbed.down
    }

    /// What happened in one and in the other stretch.
    public static func + (lhs: MotionTruth, rhs: MotionTruth) -> MotionTruth {
        var sum = lhs
        sum.steps += rhs.steps
        sum.revolutions += rhs.revolutions
        sum.ascendedMetres += rhs.ascendedMetres
        sum.descendedMetres += rhs.descendedMetres
        return sum
    }

    /// What happened from one moment to a later one.
    public static func - (later: MotionTruth, earlier: MotionTruth) -> MotionTruth {
        var difference = later
        difference.steps -= earlier.steps
        difference.revolutions -= earlier.revolutions
        difference.ascendedMetres -= earlier.ascendedMetres
        difference.descendedMetres -= earlier.descendedMetres
        return difference
    }
}
