import Motion
import Wire

extension [MotionSample] {
    /// Appends what an accelerometer says in a frame, each sample a period after the one before.
    mutating func append(accelerationOf frame: Frame, rateHz: Double) {
        let values = frame.values
        for index in 0..<frame.sampleCount {
            let time = Int64(Double(count) / rateHz * 1e6)
            append(
                MotionSample(
                    timeMicroseconds: SyntheticSignal.startMicroseconds + time,
                    acceleration: SIMD3(values[3 * index], values[3 * index + 1], values[3 * index + 2]),
                    sensors: .acceleration))
        }
    }

    /// The same accelerations so many microseconds later.
    func accelerations(after microseconds: Int64) -> [MotionSample] {
        map { sample in
            MotionSample(
                timeMicroseconds: sample.timeMicroseconds + microseconds, acceleration: sample.acceleration,
                sensors: sample.sensors)
        }
    }
}
