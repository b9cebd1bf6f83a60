import Bodies
import Wire
import Lab

/// One simulated walk or ride, counted by the counter's own pipeline.
struct SimulatedTrial: Sendable {
    let conditions: TrialConditions
    /// The duration, in seconds.
    let seconds: Int
    /// Steps and crank revolutions that were made.
    let truth: (steps: Int, revolutions: Int)
    /// Steps and crank revolutions that were counted.
    let counted: (steps: Int, revolutions: Int)
    /// The reported cadence, second by second.
    var cadence = CadenceTally()

    /// The absolute error of the steps, in percent; nil where none were made.
    var stepError: Double? { Self.error(counted.steps, of: truth.steps) }

    /// The absolute error of the revolutions, in percent; nil where none were made.
    var revolutionError: Double? { Self.error(counted.revolutions, of: truth.revolutions) }

    private static func error(_ counted: Int, of truth: Int) -> Double? {
        truth > 0 ? 100 * Double(abs(counted - truth)) / Double(truth) : nil
    }
}

extension SimulatedTrial {
    /// The longest time between two steps, or two revolutions of a crank, of who is still moving, in microseconds.
    private static let longestIntervalMicroseconds: Int64 = 4_000_000
    /// The time until a stop or a start is reported, in seconds: those next to one are not compared.
    private static let settleSeconds = 4
    /// The seconds by which a reported cadence looks back: that of a bike.
    private static let reportDelaySeconds = 2

    /// Simulates it for some seconds with a sensor at a placement, and counts what the device sends.
    ///
    /// - Throws: `WireError` where the counter refuses the device.
    init(
        _ conditions: TrialConditions, _ placement: SimulatedPlacement, seconds: Int, device: EvaluatedDevice,
        seed: UInt64
    ) throws {
        let (id, start) = (try DeviceID("simulated"), RecordingFile.startMicroseconds)
        let actor = conditions.actor(placement, Double(seconds))
        var simulated = SimulatedDevice(
            id: id, actor: actor, sampling: device.sampling, startMicroseconds: start, seed: seed)
        var count = OfflineCount(
            device: id, configuration: device.isConfigured ? actor.configuration : DeviceConfig())
        var frame = Frame()
        var events: [Int64] = []
        while simulated.nextFrameStartMicroseconds < start + Int64(seconds) * 1_000_000 {
            simulated.makeFrame(into: &frame)
            events += simulated.lastEvents.map { $0.microseconds - start }
            count.accept([frame])
        }
        let summary = count.finish()
        self.init(
            conditions: conditions, seconds: seconds, truth: (simulated.truth.steps, simulated.truth.revolutions),
            counted: (Int(clamping: summary.steps), Int(clamping: summary.revolutions)))
        let truth = Self.cadence(events, seconds: seconds)
        for (second, report) in count.seconds().enumerated() {
            let due = second - Self.reportDelaySeconds
            guard let trueCadence = Self.settled(truth, at: due) else { continue }
            cadence.add(
                truth: trueCadence, reported: conditions.isRide ? report.rpm : report.spm,
                confidence: report.confidence)
        }
    }

    /// The true cadence of each second per minute, from the times at which steps or revolutions were complete.
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

/// The sampling of a simulated device, and whether the counter knows its config.
struct EvaluatedDevice: Sendable {
    let sampling: SimulatedSampling
    /// True if the device has a config that says what it is and where it sits.
    let isConfigured: Bool

    /// A device with an accelerometer and, by default, a gyroscope, that sends two frames a second.
    init(rateHz: Double = 50, hasGyroscope: Bool = true, isConfigured: Bool = true) {
        sampling = SimulatedSampling(
            rateHz: rateHz, frameSeconds: 0.5,
            sensors: hasGyroscope ? [.acceleration, .angularVelocity] : .acceleration)
        self.isConfigured = isConfigured
    }
}

/// The reported cadence compared with the true one, in seconds that are not next to a stop or a start.
struct CadenceTally: Sendable, Equatable {
    /// A cadence within this share of double or half the true one is wrong by an octave.
    private static let octaveShare = 0.08

    /// Seconds of movement.
    private(set) var movingSeconds = 0
    /// Those whose cadence was within `ConfidenceTally.rightRPM` of the true one.
    private(set) var rightSeconds = 0
    /// Those without a cadence.
    private(set) var silentSeconds = 0
    /// Those whose cadence was about double or half of the true one.
    private(set) var octaveSeconds = 0
    /// Seconds at rest.
    private(set) var restSeconds = 0
    /// Those with a cadence.
    private(set) var falseSeconds = 0
    /// The absolute errors of the others, per minute.
    private(set) var absoluteErrors: [Double] = []
    /// The share of right cadences at each confidence.
    private(set) var confidence = ConfidenceTally()

    /// Compares a second: the true cadence per minute, 0 at rest, with the reported one, 0 for none, and its
    /// confidence.
    mutating func add(truth: Double, reported: Double, confidence reportedConfidence: Double) {
        guard truth > 0 else {
            restSeconds += 1
            falseSeconds += reported > 0 ? 1 : 0
            return
        }
        movingSeconds += 1
        guard reported > 0 else {
            silentSeconds += 1
            return
        }
        let isRight = abs(reported - truth) <= ConfidenceTally.rightRPM
        confidence.add(confidence: reportedConfidence, isRight: isRight)
        let isOctave = [0.5, 2].contains { abs(reported / truth - $0) <= Self.octaveShare * $0 }
        if isOctave { octaveSeconds += 1 } else { absoluteErrors.append(abs(reported - truth)) }
        if isRight { rightSeconds += 1 }
    }
}
