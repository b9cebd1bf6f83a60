import Replay
import Simulator

/// Counts simulated rides: of a sensor on the frame no recording with a truth is known.
///
/// It is the counter's own pipeline.
public struct RideEvaluator: Sendable {
    /// The longest time between two revolutions of a crank that is still turning, in microseconds.
    private static let longestTurnMicroseconds: Int64 = 4_000_000
    /// What a stop or a start may take until it is told, in seconds: those next to one are not compared.
    private static let settleSeconds = 4

    private let seconds: Int
    private let device: EvaluatedDevice

    /// An evaluator of rides that last so many seconds.
    public init(seconds: Int = 300, device: EvaluatedDevice = EvaluatedDevice()) {
        self.seconds = seconds
        self.device = device
    }

    /// Simulates a ride and counts it.
    ///
    /// - Throws: `WireError` where the counter refuses the device.
    public func result(_ conditions: RideConditions, seed: UInt64) throws -> RideResult {
        let count = try SimulatedCount(
            conditions.actor(seconds: seconds), seconds: seconds, device: device, seed: seed)
        var result = RideResult(
            conditions: conditions, trueRevolutions: count.truth.revolutions,
            revolutions: count.revolutions, steps: count.steps, seconds: seconds)
        let truth = Self.cadence(count.eventMicroseconds, seconds: seconds)
        let delay = Int(CadenceError.reportDelaySeconds)
        for (second, told) in count.seconds.enumerated() {
            guard let rpm = Self.settled(truth, at: second - delay) else { continue }
            result.add(truth: rpm, reported: told.rpm, confidence: told.confidence)
        }
        return result
    }

    /// The true cadence of each second, from the times at which revolutions were complete; 0 while none is made.
    static func cadence(_ turns: [Int64], seconds: Int) -> [Double] {
        var cadence = [Double](repeating: 0, count: seconds)
        for (from, to) in zip(turns, turns.dropFirst()) where to > from && to - from <= longestTurnMicroseconds {
            let rpm = 60e6 / Double(to - from)
            for second in Int(from / 1_000_000)...Int(to / 1_000_000) where cadence.indices.contains(second) {
                cadence[second] = rpm
            }
        }
        return cadence
    }

    /// The cadence of a second; nil where a stop or a start is near.
    private static func settled(_ cadence: [Double], at second: Int) -> Double? {
        let about = second - settleSeconds...second + settleSeconds
        guard cadence.indices.contains(about.lowerBound), cadence.indices.contains(about.upperBound) else { return nil }
        let isMoving = cadence[second] > 0
        return cadence[about].allSatisfy { ($0 > 0) == isMoving } ? cadence[second] : nil
    }
}
