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

/// The power of one line of the spectrum, by the Goertzel recurrence; a sine of amplitude A gives about A².
func power(_ values: [Double], atHz frequency: Double, rateHz: Double) -> Double {
    let centre = mean(values)
    let angle = 2 * Double.pi * frequency / rateHz
    let coefficient = 2 * Trigonometry.cosine(angle)
    var (last, beforeLast) = (0.0, 0.0)
    for (index, value) in values.enumerated() {
        let window = 0.5 - 0.5 * Trigonometry.cosine(2 * .pi * Double(index) / Double(values.count))
        (last, beforeLast) = ((value - centre) * window + coefficient * last - beforeLast, last)
    }
    let squared = last * last + beforeLast * beforeLast - coefficient * last * beforeLast
    return squared * 16 / Double(values.count * values.count)
}

/// The strongest line of a spectrum summed over some columns, on a grid of 0.04 Hz.
func strongestLine(_ columns: [[Double]], from low: Double, to high: Double, rateHz: Double) -> Double {
    var best = (frequency: low, power: -1.0)
    for frequency in stride(from: low, through: high, by: 0.04) {
        let total = columns.map { power($0, atHz: frequency, rateHz: rateHz) }.reduce(0, +)
        if total > best.power { best = (frequency, total) }
    }
    return best.frequency
}
