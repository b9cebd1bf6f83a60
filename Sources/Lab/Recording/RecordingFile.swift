public import Foundation

/// A recorded CSV file: a header that names the columns, then one sample a line with strictly increasing time.
public struct RecordingFile: Sendable {
    /// The samples, in order.
    public let samples: [RecordedSample]

    /// A recording of samples that are in order.
    public init(samples: [RecordedSample]) {
        self.samples = samples
    }

    /// Reads a file whole.
    public init(contentsOf url: URL) throws(RecordingError) {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw .unreadable(path: url.path)
        }
        try self.init(csv: Array(data), path: url.path)
    }

    /// Parses the bytes of a file; `path` is named in errors.
    public init(csv bytes: [UInt8], path: String = "recording") throws(RecordingError) {
        var parser = try SampleParser(csv: bytes, path: path)
        try parser.run(bytes)
        samples = parser.samples
    }

    /// Seconds from the first sample to the last.
    public var durationSeconds: Double {
        guard let first = samples.first, let last = samples.last else { return 0 }
        return last.timeSeconds - first.timeSeconds
    }
}
