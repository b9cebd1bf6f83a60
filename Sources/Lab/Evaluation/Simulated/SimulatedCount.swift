import Wire

/// What the counter's own pipeline made of a simulated device, beside what truly happened.
struct SimulatedCount: Sendable {
    /// Where simulations begin.
    static let startMicroseconds: Int64 = 1_767_225_600_000_000

    /// What happened.
    let truth: MotionTruth
    /// When each step or revolution was complete, in microseconds since the beginning.
    let eventMicroseconds: [Int64]
    /// Steps that were counted.
    let steps: Int
    /// Revolutions that were counted.
    let revolutions: Int
    /// What was told, second by second.
    let seconds: [CountSecond]

    /// Simulates somebody for so many seconds and counts what the device sends.
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
