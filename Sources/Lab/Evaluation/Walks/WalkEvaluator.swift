/// Counts simulated walks, slower, faster and less even than those that are recorded. It is the counter's own pipeline.
package struct WalkEvaluator: Sendable {
    private let placement: SimulatedPlacement
    private let seconds: Int
    private let device: EvaluatedDevice

    /// An evaluator of walks that last so many seconds, with a sensor at one of `WalkConditions.placements`.
    package init(placement: SimulatedPlacement, seconds: Int = 120, device: EvaluatedDevice = EvaluatedDevice()) {
        self.placement = placement
        self.seconds = seconds
        self.device = device
    }

    /// Simulates a walk and counts it.
    ///
    /// - Throws: `WireError` where the counter refuses the device.
    package func result(_ conditions: WalkConditions, seed: UInt64) throws -> WalkResult {
        let count = try SimulatedCount(
            conditions.actor(placement, seconds: seconds), seconds: seconds, device: device, seed: seed)
        var result = WalkResult(
            conditions: conditions, trueSteps: count.truth.steps, steps: count.steps,
            revolutions: count.revolutions, seconds: seconds)
        for second in SettledSecond.all(of: count, seconds: seconds) {
            result.add(isMoving: second.cadence > 0, isTold: second.told.spm > 0)
        }
        return result
    }
}
