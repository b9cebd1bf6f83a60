@testable import Bodies
import Lab
import Wire

/// A stretch of a simulated device's life, as a test looks at it.
struct Recorded {
    var frames: [Frame] = []
    var events: [TrueEvent] = []
    var truth = MotionTruth()

    /// Lives through so many frames.
    init(_ device: inout SimulatedDevice, frames count: Int) {
        var frame = Frame()
        for _ in 0..<count {
            device.makeFrame(into: &frame)
            frames.append(frame)
            events += device.lastEvents
            for event in device.lastEvents { truth.add(event.kind) }
        }
    }

    /// One column of every row: 0 to 2 acceleration, 3 to 5 angular velocity.
    func column(_ index: Int) -> [Double] {
        frames.flatMap { frame in
            let width = frame.sensors.valuesPerSample
            return (0..<frame.sampleCount).map { Double(frame.values[$0 * width + index]) }
        }
    }

    /// The magnitude of acceleration of every row.
    var magnitudes: [Double] {
        let (x, y, z) = (column(0), column(1), column(2))
        return x.indices.map { (x[$0] * x[$0] + y[$0] * y[$0] + z[$0] * z[$0]).squareRoot() }
    }
}

func mean(_ values: [Double]) -> Double {
    values.reduce(0, +) / Double(max(values.count, 1))
}

func deviation(_ values: [Double]) -> Double {
    let centre = mean(values)
    return mean(values.map { ($0 - centre) * ($0 - centre) }).squareRoot()
}
