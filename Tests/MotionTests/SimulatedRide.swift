import Motion
@testable import Bodies
import Lab
import trials
import Wire

/// A ride on a simulated bike: what its sensors say, and how often the crank came round.
struct SimulatedRide {
    private(set) var samples: [MotionSample] = []
    private(set) var revolutions = 0
    /// When the crank came round, or the feet landed, in seconds since the start.
    private(set) var times: [Double] = []
    /// What the feet of a walker did.
    private(set) var steps = 0

    init(
        _ actor: SimulatedActor, seconds: Int, sensors: Motion.SensorSet, rateHz: Double = 50,
        rangeGravities: Double = 8, seed: UInt64
    ) throws {
        let wired = Wire.SensorSet(rawValue: sensors.rawValue)
        var device = SimulatedDevice(
            id: try DeviceID("bike-1"), actor: actor,
            sampling: SimulatedSampling(
                rateHz: rateHz, sensors: wired, part: .lsm6dso.ranging(toGravities: rangeGravities)),
            startMicroseconds: SyntheticSignal.startMicroseconds, seed: seed)
        var frame = Frame()
        for _ in 0..<seconds {
            device.makeFrame(into: &frame)
            append(frame, sensors, periodMicroseconds: 1e6 / rateHz)
            times += device.lastEvents.map { Double($0.microseconds - SyntheticSignal.startMicroseconds) / 1e6 }
        }
        revolutions = device.truth.revolutions
        steps = device.truth.steps
    }

    private mutating func append(_ frame: Frame, _ sensors: Motion.SensorSet, periodMicroseconds: Double) {
        guard case .utc(let start) = frame.time else { return }
        for index in 0..<frame.sampleCount {
            var values = frame.values.dropFirst(index * frame.sensors.valuesPerSample)
            let time = start + Int64(Double(index) * periodMicroseconds)
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
