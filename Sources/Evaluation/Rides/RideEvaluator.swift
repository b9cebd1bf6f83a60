import Replay
import Simulator
import Wire

/// Counts simulated rides with a sensor on the frame, of which no recording with a truth is known.
///
/// A rider pedals in the saddle and out of it at changing cadences and rests between, as the simulator's ordinary plan
/// says. It is the counter's own pipeline.
public struct RideEvaluator: Sendable {
    private static let startMicroseconds: Int64 = 1_767_225_600_000_000
    private static let frameSeconds = 0.5
    /// The longest time between two revolutions of a crank that is still turning, in microseconds.
    private static let longestTurnMicroseconds: Int64 = 4_000_000
    /// What a stop or a start may take until it is told, in seconds: those next to one are not compared.
    private static let settleSeconds = 4

    private let seconds: Int

    /// An evaluator of rides that last so many seconds.
    public init(seconds: Int = 300) {
        self.seconds = seconds
    }

    /// Simulates a ride and counts it.
    ///
    /// - Throws: `WireError` where the counter refuses the device.
    public func result(_ conditions: RideConditions, seed: UInt64) throws -> RideResult {
        let id = try DeviceID("ride")
        let mount = BikeMount(
            secondToFirstRatio: conditions.secondToFirstRatio, signalToNoise: conditions.signalToNoise)
        var device = SimulatedDevice(
            id: id, actor: .frameRider(RidePlan(), mount), sampling: SimulatedSampling(frameSeconds: Self.frameSeconds),
            startMicroseconds: Self.startMicroseconds, seed: seed)
        var config = DeviceConfig()
        config.kind = .bike
        config.placement = SimulatedPlacement.frame.rawValue
        var count = OfflineCount(device: id, configuration: config)
        var frame = Frame()
        var turns: [Int64] = []
        while device.nextFrameStartMicroseconds < Self.startMicroseconds + Int64(seconds) * 1_000_000 {
            device.makeFrame(into: &frame)
            turns += device.lastEvents.map { $0.microseconds - Self.startMicroseconds }
            count.accept([frame])
        }
        let counted = Int(count.finish().revolutions)
        var result = RideResult(
            conditions: conditions, trueRevolutions: device.truth.revolutions, revolutions: counted)
        let truth = Self.cadence(turns, seconds: seconds)
        let delay = Int(CadenceError.reportDelaySeconds)
        for (second, told) in count.seconds().enumerated() {
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
