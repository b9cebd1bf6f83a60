import Wire

/// A recording as it would have been made of another person: a little quicker or slower, more softly or harder, or with
/// another sensor, a noisier one or one without gravity.
///
/// A threshold that stands where one recording happens to pass it is a fit. The same recording, varied, falls on both
/// sides of it, so that figures which hardly change are figures of walking, and not of these files.
enum Variation: String, Sendable, CaseIterable {
    /// Everything takes a tenth less time.
    case quicker
    /// Everything takes a tenth more time.
    case slower
    /// Movement with four fifths of its amplitude.
    case softer
    /// Movement with five quarters of its amplitude.
    case harder
    /// The accelerometer adds 0.1 m/s² of noise to every sample and axis, ten times that of a good part.
    case noisier
    /// Gravity is taken away, as some phones do: what is left of the mean of two seconds.
    case withoutGravity = "without gravity"

    private static let noiseMetresPerSecondSquared: Float = 0.1
    /// The time over which the mean acceleration is taken for gravity, about which the movement is, in seconds.
    private static let gravitySeconds = 2.0

    /// The factor of the duration.
    var duration: Double {
        switch self {
        case .quicker: 1 / 1.1
        case .slower: 1.1
        case .softer, .harder, .noisier, .withoutGravity: 1
        }
    }

    private var strength: Float {
        switch self {
        case .softer: 0.8
        case .harder: 1.25
        case .quicker, .slower, .noisier, .withoutGravity: 1
        }
    }

    /// The samples of the varied recording.
    func applied(to samples: [RecordedSample]) -> [RecordedSample] {
        guard let first = samples.first?.timeSeconds else { return [] }
        var varied = samples
        for index in varied.indices {
            varied[index].timeSeconds = first + (varied[index].timeSeconds - first) * duration
        }
        if strength != 1 || self == .withoutGravity { change(&varied) }
        if self == .noisier { Self.addNoise(to: &varied) }
        return varied
    }

    /// The windows of the varied recording, whose first sample has this time.
    func applied(to windows: [CadenceWindow], zeroSeconds: Double) -> [CadenceWindow] {
        windows.map { window in
            CadenceWindow(
                startSeconds: zeroSeconds + (window.startSeconds - zeroSeconds) * duration,
                endSeconds: zeroSeconds + (window.endSeconds - zeroSeconds) * duration,
                rpm: window.rpm / duration, confidence: window.confidence)
        }
    }

    /// Strengthens the movement, and leaves gravity as it is or takes it away.
    private func change(_ samples: inout [RecordedSample]) {
        var gravity: SIMD3<Float>?
        var last = 0.0
        for index in samples.indices {
            guard let acceleration = samples[index].acceleration else { continue }
            let time = samples[index].timeSeconds
            let share = Float(min((time - last) / Self.gravitySeconds, 1))
            let mean = gravity.map { $0 + (acceleration - $0) * share } ?? acceleration
            let movement = (acceleration - mean) * strength
            samples[index].acceleration = self == .withoutGravity ? movement : mean + movement
            samples[index].angularVelocity = samples[index].angularVelocity.map { $0 * strength }
            (gravity, last) = (mean, time)
        }
    }

    /// Even noise of the same power as normal noise has, the same for the same count of samples.
    private static func addNoise(to samples: inout [RecordedSample]) {
        let reach = noiseMetresPerSecondSquared * Float(3).squareRoot()
        var chance = StableHash()
        for index in samples.indices {
            guard let acceleration = samples[index].acceleration else { continue }
            var noise = SIMD3<Float>.zero
            for axis in noise.indices {
                chance.combine(UInt8(truncatingIfNeeded: index &+ axis))
                noise[axis] = reach * (Float(chance.value >> 40) / Float(1 << 23) - 1)
            }
            samples[index].acceleration = acceleration + noise
        }
    }
}
