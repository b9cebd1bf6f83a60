import Wire

/// The counter's result for a simulated device, beside the truth.
struct SimulatedCount: Sendable {
    /// The beginning of simulations.
    static let startMicroseconds: Int64 = 1_767_225_600_000_000

    /// The truth.
    let truth: MotionTruth
    /// The time at which each step or revolution was complete, in microseconds since the beginning.
    let eventMicroseconds: [Int64]
    /// Steps that were counted.
    let steps: Int
    /// Revolutions that were counted.
    let revolutions: Int
    /// The reports, second by second.
    let seconds: [CountSecond]

    /// Simulates an actor for a time and counts what the device sends.
    ///
    /// - Parameters:
    ///   - actor: who moves the sensor.
    ///   - seconds: for how long.
    ///   - device: how the device samples, and whether the counter knows what it is.
    ///   - seed: everything random is drawn from it.
    /// - Throws: `WireError` where the counter refuses the device.
    init(_ actor: SimulatedActor, seconds: Int, device: EvaluatedDevice, seed: UInt64) throws {
        let id = try DeviceID("simulated")
        var simulated = SimulatedDevice(
            id: id, actor: actor, sampling: device.sampling, startMicroseconds: Self.startMicroseconds, seed: seed)
        var count = OfflineCount(device: id, configuration: device.configuration(of: actor))
        var frame = Frame()
        var events: [Int64] = []
        while simulated.nextFrameStartMicroseconds < Self.startMicroseconds + Int64(seconds) * 1_000_000 {
            simulated.makeFrame(into: &frame)
            events += simulated.lastEvents.map { $0.microseconds - Self.startMicroseconds }
            count.accept([frame])
        }
        truth = simulated.truth
        eventMicroseconds = events
        let summary = count.finish()
        steps = Int(clamping: summary.steps)
        revolutions = Int(clamping: summary.revolutions)
        self.seconds = count.seconds()
    }
}

/// The sampling of a simulated device, and whether the counter knows its config.
package struct EvaluatedDevice: Sendable {
    /// Rates, sensors and frames.
    package let sampling: SimulatedSampling
    /// True if the device has a config that says what it is and where it sits.
    package let isConfigured: Bool

    private static let frameSeconds = 0.5

    /// A device with an accelerometer and, by default, a gyroscope.
    package init(rateHz: Double = 50, hasGyroscope: Bool = true, isConfigured: Bool = true) {
        sampling = SimulatedSampling(
            rateHz: rateHz, frameSeconds: Self.frameSeconds,
            sensors: hasGyroscope ? [.acceleration, .angularVelocity] : .acceleration)
        self.isConfigured = isConfigured
    }

    /// The config that the counter gets.
    func configuration(of actor: SimulatedActor) -> DeviceConfig {
        isConfigured ? actor.configuration : DeviceConfig()
    }
}

/// A second of a simulation that is not near a stop or a start: the true cadence and the reported one.
struct SettledSecond: Sendable {
    /// The longest time between two steps, or two revolutions of a crank, of who is still moving, in microseconds.
    private static let longestIntervalMicroseconds: Int64 = 4_000_000
    /// The time until a stop or a start is reported, in seconds: those next to one are not compared.
    private static let settleSeconds = 4

    /// Steps or revolutions a minute; 0 while none are made.
    let cadence: Double
    /// The report at the time at which it was due.
    let told: CountSecond

    /// Those of a simulation that lasted so long.
    static func all(of count: SimulatedCount, seconds: Int) -> [SettledSecond] {
        let truth = cadence(count.eventMicroseconds, seconds: seconds)
        let delay = Int(CadenceError.reportDelaySeconds)
        return count.seconds.enumerated().compactMap { second, told in
            settled(truth, at: second - delay).map { SettledSecond(cadence: $0, told: told) }
        }
    }

    /// The true cadence of each second, from the times at which steps or revolutions were complete.
    static func cadence(_ events: [Int64], seconds: Int) -> [Double] {
        var cadence = [Double](repeating: 0, count: seconds)
        for (from, to) in zip(events, events.dropFirst()) where to > from && to - from <= longestIntervalMicroseconds {
            let perMinute = 60e6 / Double(to - from)
            for second in Int(from / 1_000_000)...Int(to / 1_000_000) where cadence.indices.contains(second) {
                cadence[second] = perMinute
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
