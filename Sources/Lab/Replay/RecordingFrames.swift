package import Wire

/// The frames that a recording's device would have sent.
///
/// Sample times are whole microseconds from a given start, and a frame holds samples of the same sensors without a long
/// gap, so the frames say exactly what the recording says: however they travel, the samples come out the same.
extension RecordingFile {
    /// Recordings and simulations carry no date; they are counted as if they had started on 2026-01-01 at 00:00 UTC.
    package static let startMicroseconds: Int64 = 1_767_225_600_000_000

    /// All frames, in order, numbered from 0.
    ///
    /// - Parameters:
    ///   - startMicroseconds: the instant of the recording's second 0, in microseconds since 1970, UTC.
    ///   - boot: the boot of every frame.
    ///   - frameSeconds: the length of a frame, brought into 0.02 to 10.
    package func frames(
        startMicroseconds: Int64 = startMicroseconds, boot: BootID = BootID(rawValue: 1), frameSeconds: Double = 1
    ) -> [Frame] {
        let length = Int64((min(max(frameSeconds, 0.02), 10) * 1e6).rounded())
        let times = samples.map { startMicroseconds + Int64(($0.timeSeconds * 1e6).rounded()) }
        var frames: [Frame] = []
        var first = 0
        while first < samples.count {
            var end = first + 1
            while end < samples.count, end - first < FrameLimits.maximumSamples,
                samples[end].sensors == samples[first].sensors, times[end] - times[first] < length,
                times[end] - times[end - 1] <= Int64(FrameLimits.maximumIntervalMicroseconds)
            {
                end += 1
            }
            if !samples[first].sensors.isEmpty {
                var frame = Self.frame(samples[first..<end], times[first..<end])
                frame.identity = .sequenced(boot: boot, sequence: UInt64(frames.count))
                frames.append(frame)
            }
            first = end
        }
        return frames
    }

    /// The time of a frame's last sample, in microseconds since 1970: the earliest it could have been sent.
    package static func lastSampleMicroseconds(_ frame: Frame) -> Int64 {
        guard case .utc(let start) = frame.time else { return 0 }
        return frame.intervalsMicroseconds.reduce(start) { $0 + Int64($1) }
    }

    /// A frame of samples of the same sensors, one or more, with their times.
    private static func frame(_ samples: ArraySlice<RecordedSample>, _ times: ArraySlice<Int64>) -> Frame {
        var frame = Frame()
        frame.time = .utc(microseconds: times[times.startIndex])
        frame.timing = .intervals
        frame.sensors = samples[samples.startIndex].sensors
        frame.sampleCount = samples.count
        frame.intervalsMicroseconds = zip(times.dropFirst(), times).map { UInt32(clamping: $0 - $1) }
        frame.pressuresHectopascals = samples.compactMap(\.pressureHectopascals)
        for sample in samples {
            for vector in [sample.acceleration, sample.angularVelocity, sample.magneticField].compactMap({ $0 }) {
                for axis in vector.indices { frame.values.append(vector[axis]) }
            }
        }
        return frame
    }
}

extension RecordedSample {
    /// The sensors that it is of.
    package var sensors: SensorSet {
        var sensors: SensorSet = []
        if acceleration != nil { sensors.insert(.acceleration) }
        if angularVelocity != nil { sensors.insert(.angularVelocity) }
        if magneticField != nil { sensors.insert(.magneticField) }
        return sensors
    }
}
