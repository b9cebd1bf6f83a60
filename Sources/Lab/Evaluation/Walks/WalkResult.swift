/// How one simulated walk was counted.
package struct WalkResult: Sendable, Equatable {
    /// What the walker did.
    package let conditions: WalkConditions
    /// Feet that touched the ground.
    package let trueSteps: Int
    /// Steps that were counted.
    package let steps: Int
    /// Revolutions that were counted; nobody made any.
    package let revolutions: Int
    /// How long it took, in seconds.
    package let seconds: Int
    /// Seconds in which steps were made, those next to a stop or a start left out.
    package private(set) var movingSeconds = 0
    /// Those without a cadence.
    package private(set) var silentSeconds = 0
    /// Seconds in which none were made, those next to a stop or a start left out.
    package private(set) var restSeconds = 0
    /// Those with a cadence.
    package private(set) var falseSeconds = 0

    /// A walk of which no second has been compared yet.
    init(conditions: WalkConditions, trueSteps: Int, steps: Int, revolutions: Int, seconds: Int) {
        self.conditions = conditions
        self.trueSteps = trueSteps
        self.steps = steps
        self.revolutions = revolutions
        self.seconds = seconds
    }

    /// Compares a second: whether steps were made, and whether a cadence was told.
    mutating func add(isMoving: Bool, isTold: Bool) {
        if isMoving {
            movingSeconds += 1
            silentSeconds += isTold ? 0 : 1
        } else {
            restSeconds += 1
            falseSeconds += isTold ? 1 : 0
        }
    }

    /// The absolute percentage error of the steps; nil where there were none.
    package var stepError: Double? {
        trueSteps > 0 ? 100 * Double(abs(steps - trueSteps)) / Double(trueSteps) : nil
    }
}
