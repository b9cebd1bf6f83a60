package import Foundation
package import Wire

/// A recorded CSV file: a header that names the columns, then one sample a line with strictly increasing time.
package struct RecordingFile: Sendable {
    /// The samples, in order.
    package let samples: [RecordedSample]

    /// Seconds from the first sample to the last.
    package var durationSeconds: Double {
        guard let first = samples.first, let last = samples.last else { return 0 }
        return last.timeSeconds - first.timeSeconds
    }
}

/// One line of a recording. A sensor whose fields are empty is nil.
package struct RecordedSample: Sendable, Equatable {
    /// Seconds since the recording's zero.
    package var timeSeconds: Double
    /// m/s² with gravity.
    package var acceleration: SIMD3<Float>?
    /// rad/s
    package var angularVelocity: SIMD3<Float>?
    /// µT
    package var magneticField: SIMD3<Float>?
    /// Pressure of the air, hPa, on the lines that have a reading of the barometer.
    package var pressureHectopascals: Float?
}

extension RecordingFile {
    /// Reads a file whole.
    package init(contentsOf url: URL) throws(RecordingError) {
        try self.init(csv: try CSVTable.bytes(of: url), path: url.path)
    }

    /// Parses the bytes of a file; `path` is named in errors. Columns may be in any order, and others are skipped.
    package init(csv bytes: [UInt8], path: String = "recording") throws(RecordingError) {
        var lastTime = -Double.infinity
        samples = try CSVTable(bytes, path: path, columns: ["t_s"]).rows.map { row throws(RecordingError) in
            let time = try row.required(row.number("t_s"))
            guard Self.times.contains(time) else {
                throw row.wrong("t_s must be seconds since the recording's beginning, within 1e11")
            }
            guard time > lastTime else { throw row.wrong("t_s must increase from line to line") }
            lastTime = time
            return RecordedSample(
                timeSeconds: time, acceleration: try row.vector("ax", "ay", "az"),
                angularVelocity: try row.vector("gx", "gy", "gz"),
                magneticField: try row.vector("mx", "my", "mz"),
                pressureHectopascals: try row.number("pressure_hpa").map { Float($0) })
        }
        guard samples.isEmpty || samples.contains(where: { !$0.sensors.isEmpty }) else {
            throw RecordingError(path, "no line has a sample: its columns are ax,ay,az, gx,gy,gz or mx,my,mz")
        }
        guard let first = samples.first, samples.count >= Self.judgedSamples else { return }
        let spacing = (lastTime - first.timeSeconds) / Double(samples.count - 1)
        guard spacing <= Self.longestSpacingSeconds else {
            throw RecordingError(
                path, "t_s is \(spacing.rounded()) s from line to line: it must be in seconds; is it in milliseconds?")
        }
    }

    /// Seconds since the recording's zero, which may be 1970: three thousand years, of which microseconds fit.
    private static let times = -1e11...1e11
    /// Times of fewer samples are not judged.
    private static let judgedSamples = 8
    /// Samples further apart on average cannot be counted: their times are in another unit.
    private static let longestSpacingSeconds = 1.0
}

extension CSVTable.Row {
    /// The axes of a sensor; nil when all of them are empty.
    fileprivate func vector(_ x: String, _ y: String, _ z: String) throws(RecordingError) -> SIMD3<Float>? {
        let (x, y, z) = (try number(x), try number(y), try number(z))
        guard x != nil || y != nil || z != nil else { return nil }
        return SIMD3(Float(try required(x)), Float(try required(y)), Float(try required(z)))
    }
}

/// A mistake in a recorded file, with its place.
package struct RecordingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// One line that says what and where.
    package let description: String

    /// - Parameter line: The number of the line; nil for the file as a whole.
    init(_ path: String, line: Int? = nil, _ problem: String) {
        description = path + (line.map { ":\($0)" } ?? "") + ": " + problem
    }
}

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
