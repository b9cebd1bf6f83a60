import Motion
import Wire

/// Reads a frame's rows as samples with their times.
struct FrameCursor {
    private let frame: Frame
    private let span: FrameSpan
    private let sensors: Motion.SensorSet
    private let stride: Int
    private var index = 0
    private var intervalSum: Int64 = 0

    init(frame: Frame, span: FrameSpan) {
        self.frame = frame
        self.span = span
        sensors = Motion.SensorSet(rawValue: frame.sensors.rawValue & 7)
        stride = frame.sensors.valuesPerSample
    }

    /// The next sample; `nil` at the end, or where the frame's rows are fewer than it says.
    mutating func next() -> MotionSample? {
        guard index < frame.sampleCount, stride > 0, (index + 1) * stride <= frame.values.count else { return nil }
        var sample = MotionSample(timeMicroseconds: span.time(at: offset()), sensors: sensors)
        var position = index * stride
        if sensors.contains(.acceleration) { sample.acceleration = vector(&position) }
        if sensors.contains(.angularVelocity) { sample.angularVelocity = vector(&position) }
        if sensors.contains(.magneticField) { sample.magneticField = vector(&position) }
        index += 1
        return sample
    }

    /// Samples that are read at once: enough that what begins with each run weighs little, few enough to stay near.
    static let samplesAtOnce = 64

    /// Replaces samples by the next ones of the frame. False at its end.
    mutating func refill(_ samples: inout [MotionSample]) -> Bool {
        samples.removeAll(keepingCapacity: true)
        while samples.count < Self.samplesAtOnce, let sample = next() { samples.append(sample) }
        return !samples.isEmpty
    }

    private mutating func offset() -> Int64 {
        switch frame.timing {
        case .uniform(let periodNanoseconds): return Int64(index) * Int64(periodNanoseconds) / 1000
        case .intervals:
            if index > 0, index <= frame.intervalsMicroseconds.count {
                intervalSum += Int64(frame.intervalsMicroseconds[index - 1])
            }
            return intervalSum
        }
    }

    private func vector(_ position: inout Int) -> SIMD3<Float> {
        defer { position += 3 }
        return SIMD3(frame.values[position], frame.values[position + 1], frame.values[position + 2])
    }
}
