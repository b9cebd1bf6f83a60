package import Lab
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
    /// Metres gone up and down on foot, on stairs.
    package var climbed: (up: Double, down: Double) { body[0].moving.climbed }
    /// The events in the last frame, in order.
    package private(set) var lastEvents: [TrueEvent] = []

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
        let hash = id.stableHash
        random = RandomSource(seed: seed, stream: hash)
        sensorRandom = RandomSource(seed: seed, stream: hash ^ 0x5e75_0000_0000_0001)
        // A second run of the same seed at another time is another life: its frames are new ones.
        boot = BootID(rawValue: sensorRandom.next() ^ UInt64(bitPattern: startMicroseconds))
        let moving = actor.body(&random)
        let (acceleration, turning) = sampling.part.specimen(rateHz: sampling.rateHz, random: &sensorRandom)
        body = [
            SensedBody(
                moving: moving, acceleration: acceleration, turning: turning,
                field: sampling.sensors.contains(.magneticField) ? AxesSensor(magnetometerIn: &sensorRandom) : nil,
                barometer: SimulatedBarometer(
                    random: RandomSource(seed: seed, stream: hash ^ 0xba20_0000_0000_0002)))
        ]
    }

    /// The time of the next frame's first sample, by a perfect clock.
    package var nextFrameStartMicroseconds: Int64 { sampleMicroseconds(samplesDone) }

    /// The time of the next frame's last sample: a device cannot send the frame before.
    package var nextFrameEndMicroseconds: Int64 {
        sampleMicroseconds(samplesDone + Int64(sampling.samplesPerFrame) - 1)
    }

    /// Lives through the next frame and writes it.
    package mutating func makeFrame(into frame: inout Frame) {
        lastEvents.removeAll(keepingCapacity: true)
        prepare(&frame)
        for index in 0..<sampling.samplesPerFrame {
            let due = sampleMicroseconds(samplesDone) - startMicroseconds
            advance(toMicroseconds: due)
            body[0].read(sampling.sensors, into: &frame, &sensorRandom)
            if isPressureDue(at: index) { appendPressure(to: &frame, microseconds: due) }
            samplesDone += 1
        }
        sequence += 1
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

    /// Lives through the physics steps up to a time since the start.
    private mutating func advance(toMicroseconds due: Int64) {
        while stepsDone * PhysicsStep.microseconds <= due {
            if let event = body[0].advance(&random) {
                truth.add(event)
                lastEvents.append(
                    TrueEvent(event, microseconds: startMicroseconds + stepsDone * PhysicsStep.microseconds))
            }
            stepsDone += 1
        }
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
        frame.pressuresHectopascals.append(
            body[0].barometer.read(
                altitudeMetres: body[0].altitudeMetres, atSeconds: Double(microseconds) / 1e6,
                afterSeconds: frameSeconds / Double(max(sampling.pressuresPerFrame, 1))))
    }

    private func sampleMicroseconds(_ index: Int64) -> Int64 {
        startMicroseconds + index * Int64(sampling.periodNanoseconds) / 1000
    }
}

/// The moving body, and the sensors on it.
private struct SensedBody {
    var moving: any SimulatedBody
    var acceleration: AxesSensor
    var turning: AxesSensor
    /// The magnetometer, where there is one.
    var field: AxesSensor?
    var barometer: SimulatedBarometer
    var altitudeMetres = 0.0

    /// Goes on by one physics step; the event is what was completed in it.
    mutating func advance(_ random: inout RandomSource) -> TrueEvent.Kind? {
        let motion = moving.advance(&random)
        acceleration.measure(motion.specificForce)
        turning.measure(motion.angularVelocity)
        field?.measure(motion.magneticField)
        altitudeMetres = motion.altitudeMetres
        return motion.event
    }

    /// Appends a sample. All sensors are read, whichever are sent: the chances of one are the same with others and
    /// without.
    mutating func read(_ sensors: SensorSet, into frame: inout Frame, _ random: inout RandomSource) {
        let (force, rate) = (acceleration.read(&random), turning.read(&random))
        if sensors.contains(.acceleration) { frame.append(force) }
        if sensors.contains(.angularVelocity) { frame.append(rate) }
        if let reading = field?.read(&random) { frame.append(reading) }
    }
}

extension Frame {
    fileprivate mutating func append(_ reading: Vector) {
        for axis in reading.indices { values.append(Float(reading[axis])) }
    }
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
    /// True if the device knows the time of day; without it a frame carries the time since the device's start.
    package let hasClock: Bool
    /// Readings of a barometer in a frame; 0 without one.
    package var pressuresPerFrame = 0

    /// Nanoseconds from one sample to the next.
    var periodNanoseconds: UInt32 { UInt32((1e9 / rateHz).rounded()) }

    /// Sampling from its parts. The rate is brought into `FrameLimits`' range, the frame to at least one sample and to
    /// no more than fit, and the sensors to those that are simulated.
    package init(
        rateHz: Double = 50, frameSeconds: Double = 1, sensors: SensorSet = [.acceleration, .angularVelocity],
        part: SensorPart = .lsm6dso, hasClock: Bool = true
    ) {
        let rate = rateHz.isFinite ? min(max(rateHz, FrameLimits.minimumRateHz), FrameLimits.maximumRateHz) : 50
        let samples = frameSeconds.isFinite ? max(rate * frameSeconds, 1) : 1
        self.rateHz = rate
        samplesPerFrame = Int(min(samples.rounded(), Double(FrameLimits.maximumSamples)))
        let simulated = sensors.intersection([.acceleration, .angularVelocity, .magneticField])
        self.sensors = simulated.isEmpty ? .acceleration : simulated
        self.part = part
        self.hasClock = hasClock
    }
}
