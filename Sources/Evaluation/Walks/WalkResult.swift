/// How one simulated walk was counted.
public struct WalkResult: Sendable, Equatable {
    /// What the walker did.
    public let conditions: WalkConditions
    /// Feet that touched the ground.
    public let trueSteps: Int
    /// Steps that were counted.
    public let steps: Int
    /// Revolutions that were counted; nobody made any.
    public let revolutions: Int
    /// How long it took, in seconds.
    public let seconds: Int

    /// The absolute percentage error of the steps; nil where there were none.
    public var stepError: Double? {
        trueSteps > 0 ? 100 * Double(abs(steps - trueSteps)) / Double(trueSteps) : nil
    }
}
