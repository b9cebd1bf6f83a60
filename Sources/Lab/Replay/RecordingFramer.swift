package import Wire

/// Cuts a recording into the frames that its device would have sent.
///
/// Sample times are whole microseconds from a given start, and a frame holds samples of the same sensors without a long
/// gap, so the frames say exactly what the recording says: however they travel, the samples come out the same.
package struct RecordingFramer: Sendable {
    /// The default length of a frame, in seconds.
    package static let usualFrameSeconds = 1.0

    private let samples: [RecordedSample]
    private let startMicroseconds: Int64
    private let boot: BootID
    private let frameMicroseconds: Int64

    /// Takes a recording and says when it happens.
    ///
    /// - Parameters:
    ///   - recording: the samples.
    ///   - startMicroseconds: the instant of the recording's second 0, in microseconds since 1970, UTC.
    ///   - boot: the boot of every frame; sequence numbers start at 0.
    ///   - frameSeconds: the length of a frame.
    package init(
        recording: RecordingFile, startMicroseconds: Int64, boot: BootID,
        frameSeconds: Double = RecordingFramer.usualFrameSeconds
    ) {
        samples = recording.samples
        self.startMicroseconds = startMicroseconds
        self.boot = boot
        frameMicroseconds = Int64((min(max(frameSeconds, 0.02), 10) * 1e6).rounded())
    }

    /// All frames, in order.
    package func frames() -> [Frame] {
        var frames: [Frame] = []
        var first = 0
        while first < samples.count {
            let end = endOfFrame(from: first)
            let sequence = UInt64(frames.count)
            if let frame = frame(samples[first..<end], sequence: sequence) { frames.append(frame) }
            first = end
        }
        return frames
    }

    /// The time of a frame's last sample, in microseconds since 1970: the earliest it could have been sent.
    package static func lastSampleMicroseconds(_ frame: Frame) -> Int64 {
        guard case .utc(let start) = frame.time else { return 0 }
        return frame.intervalsMicroseconds.reduce(start) { $0 + Int64($1) }
    }

    private func endOfFrame(from first: Int) -> Int {
        let sensors = sensors(of: samples[first])
        let start = time(of: samples[first])
        var end = first + 1
        while end < samples.count, end - first < FrameLimits.maximumSamples,
            self.sensors(of: samples[end]) == sensors,
            time(of: samples[end]) - start < frameMicroseconds,
            time(of: samples[end]) - time(of: samples[end - 1]) <= Int64(FrameLimits.maximumIntervalMicroseconds)
        {
            end += 1
        }
        return end
    }

    private func frame(_ samples: ArraySlice<RecordedSample>, sequence: UInt64) -> Frame? {
        guard let first = samples.first else { return nil }
        var frame = Frame()
        frame.identity = .sequenced(boot: boot, sequence: sequence)
        frame.time = .utc(microseconds: time(of: first))
        frame.timing = .intervals
        frame.sensors = sensors(of: first)
        guard !frame.sensors.isEmpty else { return nil }
        for sample in samples { append(sample, to: &frame) }
        for (sample, next) in zip(samples, samples.dropFirst()) {
            frame.intervalsMicroseconds.append(UInt32(clamping: time(of: next) - time(of: sample)))
        }
        return frame
    }

    private func append(_ sample: RecordedSample, to frame: inout Frame) {
        frame.sampleCount += 1
        if let pressure = sample.pressureHectopascals { frame.pressuresHectopascals.append(pressure) }
        for vector in [sample.acceleration, sample.angularVelocity, sample.magneticField] {
            guard let vector else { continue }
            frame.values.append(vector.x)
            frame.values.append(vector.y)
            frame.values.append(vector.z)
        }
    }

    private func time(of sample: RecordedSample) -> Int64 {
        startMicroseconds + Int64((sample.timeSeconds * 1e6).rounded())
    }

    private func sensors(of sample: RecordedSample) -> SensorSet {
        var sensors: SensorSet = []
        if sample.acceleration != nil { sensors.insert(.acceleration) }
        if sample.angularVelocity != nil { sensors.insert(.angularVelocity) }
        if sample.magneticField != nil { sensors.insert(.magneticField) }
        return sensors
    }
}
