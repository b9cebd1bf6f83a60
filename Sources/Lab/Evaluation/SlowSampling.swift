import Wire

/// A recording as a watch would have made it that samples slowly and not on time: each sample is the mean over its
/// period, as a sensor's low-pass gives it, about an instant that wavers.
public struct SlowSampling: Sendable, Hashable {
    /// Samples a second.
    public let rateHz: Double
    /// By how much of a period an instant may be early or late.
    public let jitter: Double

    /// The rate of small watches, and a jitter of 15 % of a period either way.
    public static let watch = SlowSampling(rateHz: 12.5, jitter: 0.15)

    /// Sampling from its parts; at least 1 Hz, and jitter of at most half a period, so that time goes forward.
    public init(rateHz: Double, jitter: Double) {
        self.rateHz = max(rateHz, 1)
        self.jitter = min(max(jitter, 0), 0.49)
    }

    /// What of the samples is left; the jitter is the same for the same count of samples.
    public func resampled(_ samples: [RecordedSample]) -> [RecordedSample] {
        guard let first = samples.first, let last = samples.last else { return [] }
        let period = 1 / rateHz
        var slow: [RecordedSample] = []
        var start = 0
        var chance = StableHash()
        for index in 0..<Int((last.timeSeconds - first.timeSeconds) * rateHz) {
            chance.combine(UInt8(truncatingIfNeeded: index))
            let waver = jitter * (Double(chance.value >> 40) / Double(1 << 23) - 1)
            let time = first.timeSeconds + (Double(index) + 0.5 + waver) * period
            while start < samples.count, samples[start].timeSeconds < time - period / 2 { start += 1 }
            let part = samples[start...].prefix { $0.timeSeconds < time + period / 2 }
            if let mean = Self.mean(part, at: time) { slow.append(mean) }
        }
        return slow
    }

    private static func mean(_ samples: ArraySlice<RecordedSample>, at time: Double) -> RecordedSample? {
        guard !samples.isEmpty else { return nil }
        return RecordedSample(
            timeSeconds: time, acceleration: mean(samples.compactMap(\.acceleration)),
            angularVelocity: mean(samples.compactMap(\.angularVelocity)),
            magneticField: mean(samples.compactMap(\.magneticField)))
    }

    private static func mean(_ values: [SIMD3<Float>]) -> SIMD3<Float>? {
        values.isEmpty ? nil : values.reduce(.zero, +) / Float(values.count)
    }
}
