import Motion
import Lab

/// A recording as another sensor would have made it, drawn at random: range, resolution, its own low-pass, sampling rate,
/// jitter, gaps, scale, gravity taken away, noise, and everything quicker or slower.
struct SensorCopy {
    private var random: RandomSource
    /// The factor on every duration.
    let stretch: Double
    /// The delay of every sample after that, µs: the samples lie otherwise on the 25 Hz grid.
    let delayMicroseconds: Int64
    private static let standardGravity: Float = 9.806_65

    /// The copy of a number of a file. What is no gait may be done at any pace; a gait changes with its pace.
    init(seed: UInt64, stretches: ClosedRange<Double>) {
        random = RandomSource(seed: seed, stream: 0x636f_7079)
        stretch = random.chance(0.5) ? 1 : random.uniform(in: stretches)
        delayMicroseconds = Int64(random.uniform(in: 0...400_000))
    }

    /// The copy of samples, which start at 0 µs or later.
    mutating func applied(to original: [MotionSample]) -> [MotionSample] {
        var samples = original
        for index in samples.indices {
            let time = Double(samples[index].timeMicroseconds) * stretch
            samples[index].timeMicroseconds = Int64(time) + delayMicroseconds
            samples[index].angularVelocity /= Float(stretch)
        }
        if random.chance(0.5) {
            let cutoffHz = random.uniform(in: 2.5...8)
            for _ in 0..<(random.chance(0.5) ? 2 : 1) { smooth(&samples, cutoffHz: cutoffHz) }
        }
        if random.chance(0.5) { samples = resampled(samples) }
        let scale = Float(random.chance(0.3) ? random.uniform(in: 0.94...1.08) : 1)
        let noise = Float(random.chance(0.3) ? random.uniform(in: 0.03...0.2) : 0)
        let clip = random.chance(0.25) ? Self.standardGravity * Float([2, 4, 8][Int(random.next() % 3)]) : 300
        let unit = random.chance(0.2) ? Self.standardGravity / Float([64, 32, 16][Int(random.next() % 3)]) : 0
        for index in samples.indices {
            var value = samples[index].acceleration * scale
            for axis in 0..<3 {
                value[axis] += noise * Float(random.deviate())
                value[axis] = min(max(value[axis], -clip), clip)
                if unit > 0 { value[axis] = (value[axis] / unit).rounded() * unit }
            }
            samples[index].acceleration = value
        }
        if random.chance(0.12) { removeGravity(&samples) }
        if random.chance(0.15) { removeSome(&samples) }
        return samples
    }

    /// Two low-passes of first order, as a sensor's own filter.
    private func smooth(_ samples: inout [MotionSample], cutoffHz: Double) {
        guard var last = samples.first else { return }
        var once = last
        for index in samples.indices {
            let seconds = Double(samples[index].timeMicroseconds - last.timeMicroseconds) / 1e6
            let gain = Float(min(seconds * 2 * Double.pi * cutoffHz / (1 + seconds * 2 * Double.pi * cutoffHz), 1))
            once.acceleration += (samples[index].acceleration - once.acceleration) * gain
            last.acceleration += (once.acceleration - last.acceleration) * gain
            last.timeMicroseconds = samples[index].timeMicroseconds
            samples[index].acceleration = last.acceleration
        }
    }

    /// At another rate, not on time: the newest sample, or the mean over a share of the period.
    private mutating func resampled(_ samples: [MotionSample]) -> [MotionSample] {
        guard let first = samples.first, let last = samples.last, samples.count > 10 else { return samples }
        let native = Double(samples.count - 1) / Double(last.timeMicroseconds - first.timeMicroseconds) * 1e6
        let rates = [10, 12.5, 12.5, 15, 20, 25, 30, 50].filter { $0 < native * 0.9 }
        guard let rate = rates.isEmpty ? nil : rates[Int(random.next() % UInt64(rates.count))] else { return samples }
        let jitter = random.chance(0.5) ? random.uniform(in: 0...0.2) : 0
        let share = [0, 0.5, 1][Int(random.next() % 3)]
        var (copies, start) = ([MotionSample](), 0)
        var time = Double(first.timeMicroseconds) + random.uniform(in: 0...1) * 1e6 / rate
        while time < Double(last.timeMicroseconds) {
            let at = Int64(time + jitter * random.uniform(in: -0.5...0.5) * 1e6 / rate)
            let from = at - Int64(share * 1e6 / rate)
            while start < samples.count - 1, samples[start].timeMicroseconds < from { start += 1 }
            var (end, sum, turning, count) = (start, SIMD3<Float>.zero, SIMD3<Float>.zero, Float(0))
            repeat {
                sum += samples[end].acceleration
                turning += samples[end].angularVelocity
                count += 1
                end += 1
            } while end < samples.count && samples[end].timeMicroseconds <= at
            var copy = samples[start]
            copy.timeMicroseconds = at
            (copy.acceleration, copy.angularVelocity) = (sum / count, turning / count)
            if at > copies.last?.timeMicroseconds ?? -1 { copies.append(copy) }
            time += 1e6 / rate
        }
        return copies
    }

    private func removeGravity(_ samples: inout [MotionSample]) {
        guard var gravity = samples.first?.acceleration, var last = samples.first?.timeMicroseconds else { return }
        for index in samples.indices {
            let share = Float(min(Double(samples[index].timeMicroseconds - last) / 2e6, 1))
            last = samples[index].timeMicroseconds
            gravity += (samples[index].acceleration - gravity) * share
            samples[index].acceleration -= gravity
        }
    }

    /// Loses packets of a quarter of a second.
    private mutating func removeSome(_ samples: inout [MotionSample]) {
        var lost = Set<Int64>()
        for _ in 0..<8 {
            let last = Double(samples.last?.timeMicroseconds ?? 0)
            lost.insert(Int64(random.uniform(in: 0...1) * last / 250_000))
        }
        samples.removeAll { lost.contains($0.timeMicroseconds / 250_000) }
    }
}
