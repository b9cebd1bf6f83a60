import Motion
@testable import Bodies
import Lab
import Wire

/// What the sensors on a simulated body say, and what the body did.
struct SimulatedSignal {
    private(set) var samples: [MotionSample] = []
    /// When the crank came round, or the feet landed, in seconds since the start.
    private(set) var times: [Double] = []
    /// What the feet did, and the crank.
    private(set) var (steps, revolutions) = (0, 0)

    /// - Parameter name: What the device is called: its chances follow from that and the seed.
    init(
        _ actor: SimulatedActor, seconds: Double, sensors: Motion.SensorSet = .acceleration, rateHz: Double = 50,
        rangeGravities: Double = 8, named name: String = "bike-1", seed: UInt64
    ) throws {
        var device = SimulatedDevice(
            id: try DeviceID(name), actor: actor,
            sampling: SimulatedSampling(
                rateHz: rateHz, sensors: Wire.SensorSet(rawValue: sensors.rawValue),
                part: .lsm6dso.ranging(toGravities: rangeGravities)),
            startMicroseconds: SyntheticSignal.startMicroseconds, seed: seed)
        var frame = Frame()
        while Double(samples.count) < seconds * rateHz {
            device.makeFrame(into: &frame)
            append(frame, sensors, rateHz: rateHz)
            times += device.lastEvents.map { Double($0.microseconds - SyntheticSignal.startMicroseconds) / 1e6 }
        }
        (steps, revolutions) = (device.truth.steps, device.truth.revolutions)
    }

    /// What a deed is, sensed in a place.
    init(
        _ deed: Deed, _ place: SimulatedPlacement, sensors: Motion.SensorSet = .acceleration, rateHz: Double = 50,
        rangeGravities: Double = 8, seed: UInt64
    ) throws {
        try self.init(
            deed.actor(place), seconds: deed.seconds, sensors: sensors, rateHz: rateHz, rangeGravities: rangeGravities,
            named: deed.name, seed: seed)
    }

    private mutating func append(_ frame: Frame, _ sensors: Motion.SensorSet, rateHz: Double) {
        var values = frame.values[...]
        for _ in 0..<frame.sampleCount {
            let time = SyntheticSignal.startMicroseconds + Int64(Double(samples.count) / rateHz * 1e6)
            var sample = MotionSample(timeMicroseconds: time, sensors: sensors)
            if sensors.contains(.acceleration) { sample.acceleration = Self.take(&values) }
            if sensors.contains(.angularVelocity) { sample.angularVelocity = Self.take(&values) }
            if sensors.contains(.magneticField) { sample.magneticField = Self.take(&values) }
            samples.append(sample)
        }
    }

    private static func take(_ values: inout ArraySlice<Float>) -> SIMD3<Float> {
        defer { values = values.dropFirst(3) }
        let first = values.startIndex
        return SIMD3(values[first], values[first + 1], values[first + 2])
    }
}

extension [MotionSample] {
    /// The same accelerations so many seconds later.
    func accelerations(afterSeconds seconds: Int64) -> [MotionSample] {
        map { sample in
            MotionSample(
                timeMicroseconds: sample.timeMicroseconds + seconds * 1_000_000, acceleration: sample.acceleration,
                sensors: sample.sensors)
        }
    }
}
