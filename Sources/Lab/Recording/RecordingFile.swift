package import Foundation

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
