package import Wire

/// A sensor on the bus that does not exist: it makes frames of physically plausible samples and knows what truly
/// happened.
///
/// The physics goes on in steps of 2.5 ms whatever the sampling rate, so two devices with the same seed and different
/// rates live through the same events. A device makes time pass by making frames: nothing here reads a clock.
package struct SimulatedDevice: Sendable {
    /// The device's name on the bus.
    package let id: DeviceID
    /// The person or crank that moves the sensor, and its placement.
    package let actor: SimulatedActor
    /// The sampling, and the packing into frames.
    package let sampling: SimulatedSampling
    /// This life of the device, from its seed and its start.
    package let boot: BootID
    /// The number of the next frame.
    package private(set) var sequence: UInt64 = 0
    /// The truth up to the last sample of the last frame.
    package private(set) var truth = MotionTruth()
    /// The events in the last frame, in order.
    package private(set) var lastEvents: [TimedMotionEvent] = []

    private let startMicroseconds: Int64
    /// The moving body and the sensor on it: the one element of an array, because their vectors of three doubles are
    /// aligned to 32 bytes, and Swift 6.3 gives the frames of async functions, which may hold a device, only 16.
    private var body: [SensedBody]
    private var random: RandomSource
    private var sensorRandom: RandomSource
    private var stepsDone: Int64 = 0
    private var samplesDone: Int64 = 0

    /// A device that starts at an instant (microseconds since 1970, UTC) and draws its chances from a seed.
    package init(
        id: DeviceID, actor: SimulatedActor, sampling: SimulatedSampling = SimulatedSampling(),
        startMicroseconds: Int64, seed: UInt64
    ) {
        self.id = id
        self.actor = actor
        self.sampling = sampling
        self.startMicroseconds = startMicroseconds
        var hash = StableHash()
        for index in 0..<id.count { hash.combine(id[index]) }
        random = RandomSource(seed: seed, stream: hash.value)
        sensorRandom = RandomSource(seed: seed, stream: hash.value ^ 0x5e75_0000_0000_0001)
        // A second run of the same seed at another time is another life: its frames are new ones.
        boot = BootID(rawValue: sensorRandom.next() ^ UInt64(bitPattern: startMicroseconds))
        let physics = ActorPhysics(actor, random: &random)
        let sensor = MotionSensor(part: sampling.part, rateHz: sampling.rateHz, random: &sensorRandom)
        let barometer = SimulatedBarometer(
            part: sampling.barometer, random: RandomSource(seed: seed, stream: hash.value ^ 0xba20_0000_0000_0002))
        let magnetometer =
            sampling.sensors.contains(.magneticField)
            ? Magnetometer(part: sampling.magnetometer, random: &sensorRandom) : nil
        body = [SensedBody(physics: physics, sensor: sensor, barometer: barometer, magnetometer: magnetometer)]
    }

    /// The time of the next frame's first sample, by a perfect clock.
    package var nextFrameStartMicroseconds: Int64 { sampleMicroseconds(samplesDone) }

    /// The time of the next frame's last sample: a device cannot send the frame before.
    package var nextFrameEndMicroseconds: Int64 {
        sampleMicroseconds(samplesDone + Int64(sampling.samplesPerFrame) - 1)
    }

    /// Lives through the next frame and writes it.
    ///
    /// - Returns: what truly happened between the last sample of the frame before and the last sample of this one.
    @discardableResult
    package mutating func makeFrame(into frame: inout Frame) -> MotionTruth {
        let before = truth
        lastEvents.removeAll(keepingCapacity: true)
        prepare(&frame)
        let lent = body[0].physics
        body[0].physics = .lent
        switch lent {
        case .frame(var ride):
            sample(into: &frame) { ride.advance(&$0) }
            body[0].physics = .frame(ride)
        case .crank(var ride):
            sample(into: &frame) { ride.advance(&$0) }
            body[0].physics = .crank(ride)
        case .leg(var ride):
            sample(into: &frame) { ride.advance(&$0) }
            body[0].physics = .leg(ride)
        case .wrist(var ride):
            sample(into: &frame) { ride.advance(&$0) }
            body[0].physics = .wrist(ride)
        case .walk(var walk):
            sample(into: &frame) { walk.advance(&$0) }
            truth.note(climbed: walk.climbed)
            body[0].physics = .walk(walk)
        case .work(var hand):
            sample(into: &frame) { (hand.advance(&$0), nil) }
            body[0].physics = .work(hand)
        case .drive(var passenger):
            sample(into: &frame) { (passenger.advance(&$0), nil) }
            body[0].physics = .drive(passenger)
        case .lent: break
        }
        sequence += 1
        return truth - before
    }

    private func prepare(_ frame: inout Frame) {
        frame.removeAll()
        frame.identity = .sequenced(boot: boot, sequence: sequence)
        let first = sampleMicroseconds(samplesDone)
        frame.time = sampling.hasClock ? .utc(microseconds: first) : .uptime(microseconds: first - startMicroseconds)
        frame.timing = .uniform(periodNanoseconds: sampling.periodNanoseconds)
        frame.sensors = sampling.sensors
        frame.sampleCount = sampling.samplesPerFrame
    }

    private mutating func sample(
        into frame: inout Frame, advance: (inout RandomSource) -> (BodyMotion, MotionEvent?)
    ) {
        for index in 0..<sampling.samplesPerFrame {
            let due = sampleMicroseconds(samplesDone) - startMicroseconds
            while stepsDone * PhysicsStep.microseconds <= due {
                let (motion, event) = advance(&random)
                body[0].sensor.feel(motion)
                body[0].altitudeMetres = motion.altitudeMetres
                body[0].magnetometer?.feel(motion.magneticField)
                if let event { note(event) }
                stepsDone += 1
            }
            append(body[0].sensor.read(&sensorRandom), to: &frame)
            if let field = body[0].magnetometer?.read(&sensorRandom) { Self.append(field, to: &frame) }
            if isPressureDue(at: index) { appendPressure(to: &frame, microseconds: due) }
            samplesDone += 1
        }
    }

    private mutating func note(_ event: MotionEvent) {
        truth.add(event)
        lastEvents.append(
            TimedMotionEvent(
                event: event, microseconds: startMicroseconds + stepsDone * PhysicsStep.microseconds))
    }

    private func append(_ motion: BodyMotion, to frame: inout Frame) {
        if sampling.sensors.contains(.acceleration) { Self.append(motion.specificForce, to: &frame) }
        if sampling.sensors.contains(.angularVelocity) { Self.append(motion.angularVelocity, to: &frame) }
    }

    /// The readings of a frame lie evenly in it, each in the middle of its part.
    private func isPressureDue(at index: Int) -> Bool {
        let (count, samples) = (min(sampling.pressuresPerFrame, sampling.samplesPerFrame), sampling.samplesPerFrame)
        guard count > 0 else { return false }
        let part = (2 * index + 1) * count / (2 * samples)
        return index == ((2 * part + 1) * samples - count) / (2 * count) || count == samples
    }

    private mutating func appendPressure(to frame: inout Frame, microseconds: Int64) {
        let frameSeconds = Double(sampling.samplesPerFrame) / sampling.rateHz
        let altitude = body[0].altitudeMetres
        frame.pressuresHectopascals.append(
            body[0].barometer.read(
                altitudeMetres: altitude, atSeconds: Double(microseconds) / 1e6,
                afterSeconds: frameSeconds / Double(max(sampling.pressuresPerFrame, 1))))
    }

    private static func append(_ vector: SIMD3<Double>, to frame: inout Frame) {
        frame.values.append(Float(vector.x))
        frame.values.append(Float(vector.y))
        frame.values.append(Float(vector.z))
    }

    private func sampleMicroseconds(_ index: Int64) -> Int64 {
        startMicroseconds + index * Int64(sampling.periodNanoseconds) / 1000
    }
}

/// The moving body, and the sensor on it.
private struct SensedBody: Sendable {
    var physics: ActorPhysics
    var sensor: MotionSensor
    var barometer: SimulatedBarometer
    var altitudeMetres = 0.0
    /// The magnetometer, where there is one.
    var magnetometer: Magnetometer?
}

/// The sampling of a simulated device, and the packing of its samples.
package struct SimulatedSampling: Sendable, Hashable {
    package let rateHz: Double
    package let samplesPerFrame: Int
    /// The sensors in a frame: acceleration, angular velocity, magnetic field; about a walker there is no field but the
    /// phone's own.
    package let sensors: SensorSet
    /// The part that senses.
    package let part: SensorPart
    /// The part that senses the magnetic field, where that is measured.
    package let magnetometer: MagnetometerPart
    /// True if the device knows the time of day; without it a frame carries the time since the device's start.
    package let hasClock: Bool

    /// Readings of a barometer in a frame; 0 without one.
    package var pressuresPerFrame = 0
    package var barometer = BarometerPart.bmp280

    /// Nanoseconds from one sample to the next.
    var periodNanoseconds: UInt32 { UInt32((1e9 / rateHz).rounded()) }

    /// Sampling from its parts. The rate is brought into `FrameLimits`' range, the frame to at least one sample and to
    /// no more than fit, and the sensors to those that are simulated.
    package init(
        rateHz: Double = 50, frameSeconds: Double = 1, sensors: SensorSet = [.acceleration, .angularVelocity],
        part: SensorPart = .lsm6dso, magnetometer: MagnetometerPart = .bmm150, hasClock: Bool = true
    ) {
        let rate = rateHz.isFinite ? min(max(rateHz, FrameLimits.minimumRateHz), FrameLimits.maximumRateHz) : 50
        let samples = frameSeconds.isFinite ? max(rate * frameSeconds, 1) : 1
        self.rateHz = rate
        samplesPerFrame = Int(min(samples.rounded(), Double(FrameLimits.maximumSamples)))
        let simulated = sensors.intersection([.acceleration, .angularVelocity, .magneticField])
        self.sensors = simulated.isEmpty ? .acceleration : simulated
        self.part = part
        self.magnetometer = magnetometer
        self.hasClock = hasClock
    }
}
