import Glibc
package import Wire

/// A bike or a walker of a simulated gym: a sensor that does not exist, which knows what truly happened.
///
/// A crank or a pair of legs is a phase that turns at a cadence, and what the sensor measures are harmonics of it. The
/// physics of people and bikes is in `Tools/Bodies`: this is for showing, and for tests of the way of the frames. A device
/// makes time pass by making frames: nothing here reads a clock.
package struct GymDevice: Sendable {
    /// A stretch of moving or of resting.
    package struct Stretch: Sendable, Hashable {
        package var isMoving: Bool
        /// A step that has begun is finished first.
        package var seconds: Double

        package init(isMoving: Bool, seconds: Double) {
            (self.isMoving, self.seconds) = (isMoving, seconds)
        }
    }

    /// The device's name on the bus.
    package let id: DeviceID
    package let placement: SensorPlacement
    /// Samples a second, and in a frame.
    package let rateHz: Double
    package let samplesPerFrame: Int
    /// This life of the device, from its seed and its start.
    package let boot: BootID
    /// The number of the next frame.
    package private(set) var sequence: UInt64 = 0
    /// The truth up to the last sample of the last frame.
    package private(set) var truth = MotionTruth()
    /// The events in the last frame, in order.
    package private(set) var lastEvents: [TrueEvent] = []
    /// What a strap and a power meter tell with the last frame; nothing without them.
    package private(set) var rider = RiderNumbers()

    private let startMicroseconds: Int64
    private let signal: Signal
    private var stretches: [Stretch]
    private var mover: Mover
    private var random: RandomSource
    private var noise: RandomSource
    private var samplesDone: Int64 = 0
    private let sensors: RiderSensors
    /// Beats a minute, which follow the work.
    private var pulse: Double
    private let restingPulse: Double

    private enum Signal {
        case bike(BikeSignal)
        case walk(WalkSignal)
    }

    /// The sensors of the rider's work beside that of motion.
    package struct RiderSensors: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let strap = RiderSensors(rawValue: 1)
        /// Of bikes.
        package static let powerMeter = RiderSensors(rawValue: 2)
    }

    /// The seconds of a frame.
    package static let frameSeconds = 1.0
    /// The watts at 80 rpm, which grow with the square of the cadence.
    private static let statedWatts = 150.0
    /// A pulse at rest, how much a watt raises it, and the seconds in which it follows.
    private static let (restingPulses, pulsePerWatt, pulseSeconds) = (62.0...78, 0.45, 25.0)

    /// A device that starts at an instant (microseconds since 1970, UTC), draws its chances from a seed, keeps to the
    /// stretches, and then moves and rests as it likes.
    package init(
        id: DeviceID, placement: SensorPlacement, stretches: [Stretch] = [], sensors: RiderSensors = [],
        rateHz: Double = 50, startMicroseconds: Int64, seed: UInt64
    ) {
        (self.id, self.placement, self.startMicroseconds) = (id, placement, startMicroseconds)
        self.sensors = sensors
        self.stretches = stretches.reversed()
        self.rateHz = min(max(rateHz, FrameLimits.minimumRateHz), FrameLimits.maximumRateHz)
        samplesPerFrame = min(max(Int((self.rateHz * Self.frameSeconds).rounded()), 1), FrameLimits.maximumSamples)
        let hash = id.stableHash
        random = RandomSource(seed: seed, stream: hash)
        noise = RandomSource(seed: seed, stream: hash ^ 0x5e75_0000_0000_0001)
        // A second run of the same seed at another time is another life: its frames are new ones.
        boot = BootID(rawValue: noise.next() ^ UInt64(bitPattern: startMicroseconds))
        mover = Mover(isBike: placement == .frame, random: &random)
        // Drawn apart: with or without sensors a seed has the same motion.
        var heart = RandomSource(seed: seed, stream: hash ^ 0x4ea7_0000_0000_0001)
        pulse = heart.uniform(in: Self.restingPulses)
        restingPulse = pulse
        signal =
            placement == .frame
            ? .bike(BikeSignal(random: &random)) : .walk(WalkSignal(placement, random: &random))
    }

    package var kind: DeviceKind { placement == .frame ? .bike : .wearable }

    /// The config that an operator would publish for it.
    package var configuration: DeviceConfig {
        var configuration = DeviceConfig()
        (configuration.kind, configuration.placement) = (kind, placement)
        return configuration
    }

    private var periodNanoseconds: UInt32 { UInt32((1e9 / rateHz).rounded()) }

    /// The time of the next frame's last sample: a device cannot send the frame before.
    package var nextFrameEndMicroseconds: Int64 { sampleMicroseconds(samplesDone + Int64(samplesPerFrame) - 1) }

    private func sampleMicroseconds(_ index: Int64) -> Int64 {
        startMicroseconds + index * Int64(periodNanoseconds) / 1000
    }

    /// Lives through the next frame and writes it.
    package mutating func makeFrame(into frame: inout Frame) {
        lastEvents.removeAll(keepingCapacity: true)
        frame.removeAll()
        frame.identity = .sequenced(boot: boot, sequence: sequence)
        frame.time = .utc(microseconds: sampleMicroseconds(samplesDone))
        frame.timing = .uniform(periodNanoseconds: periodNanoseconds)
        frame.sensors = [.acceleration, .angularVelocity]
        frame.sampleCount = samplesPerFrame
        for _ in 0..<samplesPerFrame {
            if samplesDone > 0, mover.advance(seconds: 1 / rateHz, &stretches, &random) {
                let kind: TrueEvent.Kind = placement == .frame ? .revolution : .step
                truth.add(kind)
                lastEvents.append(TrueEvent(kind, microseconds: sampleMicroseconds(samplesDone)))
            }
            appendSample(to: &frame)
            samplesDone += 1
        }
        sequence += 1
        work()
    }

    /// Works through the time of the last frame.
    private mutating func work() {
        // Legs at 110 steps a minute work like a crank at 80.
        let pace = mover.rate * 60 / (placement == .frame ? 80 : 110)
        let watts = (Self.statedWatts * pace * pace).rounded()
        pulse += (restingPulse + Self.pulsePerWatt * watts - pulse) * Self.frameSeconds / Self.pulseSeconds
        if sensors.contains(.strap) { rider.bpm = min(pulse, 220).rounded() }
        guard sensors.contains(.powerMeter), placement == .frame else { return }
        rider.watts = watts
        truth.add(joules: watts * Self.frameSeconds)
    }

    private mutating func appendSample(to frame: inout Frame) {
        let (felt, level) =
            switch signal {
            case .bike(let bike): (bike.felt(turns: mover.turns, rate: mover.rate), bike.noise)
            case .walk(let walk):
                (walk.felt(steps: mover.turns, rate: mover.rate, strength: mover.strength), walk.noise)
            }
        for axis in 0..<3 { frame.values.append(felt.acceleration[axis] + level * Float(noise.deviate())) }
        for axis in 0..<3 { frame.values.append(felt.angularVelocity[axis] + 0.002 * Float(noise.deviate())) }
    }
}

/// A crank, or a pair of legs: how many turns or steps it has done, and how fast it does them.
private struct Mover: Sendable {
    let isBike: Bool
    private(set) var turns = 0.0
    /// Turns or steps a second.
    private(set) var rate = 0.0
    /// How far the movement has built up, 0 to 1.
    private(set) var strength = 0.0
    private var isMoving = false
    private var remainingSeconds = 0.0
    private var movedSeconds = 0.0
    private var stepsInBout = 0
    private var aim: Double

    /// Turns and steps a minute.
    private static let (cadences, paces) = (62.0...98, 97.0...123)
    private static let (boutSeconds, restSeconds) = (30.0...90, 8.0...14)
    /// Seconds in which a rider brings the flywheel to a cadence, in which legs stop, and in which a gait builds up.
    private static let (riderSeconds, stopSeconds, gaitSeconds) = (1.2, 0.25, 0.25)
    /// A crank slower than this stands still, in turns a second.
    private static let standstill = 0.04
    /// A bout's first steps take longer: the body has to be set in motion.
    private static let firstSteps = [1.33, 1.25]
    /// By how much, and within how many seconds, a cadence goes up and down.
    private static let (swell, swellSeconds) = (0.01, 7.0)

    init(isBike: Bool, random: inout RandomSource) {
        self.isBike = isBike
        aim = random.uniform(in: isBike ? Self.cadences : Self.paces) / 60
    }

    /// Goes on; true where a turn or a step was completed.
    mutating func advance(seconds: Double, _ script: inout [GymDevice.Stretch], _ random: inout RandomSource) -> Bool {
        remainingSeconds -= seconds
        if remainingSeconds <= 0, isBike || !isMoving { choose(&script, &random) }
        movedSeconds += seconds
        let target = isMoving ? aim * (1 + Self.swell * sin(2 * .pi * movedSeconds / Self.swellSeconds)) : 0
        strength += ((isMoving ? 1 : 0) - strength) * min(seconds / Self.gaitSeconds, 1)
        if isBike {
            rate += (target - rate) * min(seconds / (isMoving ? Self.riderSeconds : Self.stopSeconds), 1)
            if !isMoving, rate < Self.standstill { rate = 0 }
        } else {
            rate = isMoving && stepsInBout < Self.firstSteps.count ? target / Self.firstSteps[stepsInBout] : target
        }
        let before = turns.rounded(.down)
        turns += rate * seconds
        guard turns.rounded(.down) > before else { return false }
        stepsInBout += 1
        // A walk ends with a foot on the ground.
        if !isBike, remainingSeconds <= 0 {
            choose(&script, &random)
            if !isMoving { turns = turns.rounded(.down) }
        }
        return true
    }

    private mutating func choose(_ script: inout [GymDevice.Stretch], _ random: inout RandomSource) {
        let wasMoving = isMoving
        if let stretch = script.popLast() {
            (isMoving, remainingSeconds) = (stretch.isMoving, stretch.seconds)
        } else {
            isMoving.toggle()
            remainingSeconds = random.uniform(in: isMoving ? Self.boutSeconds : Self.restSeconds)
        }
        guard isMoving, !wasMoving else { return }
        (movedSeconds, stepsInBout) = (0, 0)
        aim = random.uniform(in: isBike ? Self.cadences : Self.paces) / 60
    }
}

/// A foot that touched the ground, or a crank that came round.
package struct TrueEvent: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case step, revolution
    }

    package var kind: Kind
    /// The time: microseconds since 1970, UTC, by a perfect clock.
    package var microseconds: Int64

    package init(_ kind: Kind, microseconds: Int64) {
        (self.kind, self.microseconds) = (kind, microseconds)
    }
}

/// What truly happened, counted.
package struct MotionTruth: Sendable, Hashable {
    /// Feet that touched the ground.
    package private(set) var steps = 0
    /// Revolutions that the crank completed.
    package private(set) var revolutions = 0
    /// The work of a rider whose power is measured.
    package private(set) var joules = 0.0

    /// Nothing happened yet.
    package init() {}

    package mutating func add(joules: Double) { self.joules += joules }

    package mutating func add(_ kind: TrueEvent.Kind) {
        switch kind {
        case .step: steps += 1
        case .revolution: revolutions += 1
        }
    }
}
