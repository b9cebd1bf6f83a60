/// Counts simulated rides: of a sensor on the frame no recording with a truth is known.
///
/// It is the counter's own pipeline.
package struct RideEvaluator: Sendable {
    private let seconds: Int
    private let device: EvaluatedDevice

    /// An evaluator of rides that last so many seconds.
    package init(seconds: Int = 300, device: EvaluatedDevice = EvaluatedDevice()) {
        self.seconds = seconds
        self.device = device
    }

    /// Simulates a ride and counts it.
    ///
    /// - Throws: `WireError` where the counter refuses the device.
    package func result(_ conditions: RideConditions, seed: UInt64) throws -> RideResult {
        let count = try SimulatedCount(
            conditions.actor(seconds: seconds), seconds: seconds, device: device, seed: seed)
        var result = RideResult(
            conditions: conditions, trueRevolutions: count.truth.revolutions,
            revolutions: count.revolutions, steps: count.steps, seconds: seconds)
        for second in SettledSecond.all(of: count, seconds: seconds) {
            result.add(
                truth: second.cadence, reported: second.told.rpm, confidence: second.told.confidence)
        }
        return result
    }
}
