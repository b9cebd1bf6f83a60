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
    /// In the order of a sample's numbers. Files may have them in any order, and others, which are skipped.
    private static let columns = ["t_s", "ax", "ay", "az", "gx", "gy", "gz", "mx", "my", "mz", "pressure_hpa"]
    /// The most columns a file may have.
    private static let maximumColumns = 64

    /// Reads a file whole.
    package init(contentsOf url: URL) throws(RecordingError) {
        try self.init(csv: try CSVTable.bytes(of: url), path: url.path)
    }

    /// Parses the bytes of a file; `path` is named in errors.
    package init(csv bytes: [UInt8], path: String = "recording") throws(RecordingError) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let header = String(decoding: lines[0], as: UTF8.self).filter { $0 != "\r" && $0 != "\u{FEFF}" }
        guard !header.isEmpty else { throw .noHeader(path: path) }
        let names = header.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard names.count <= Self.maximumColumns else { throw .wrongFieldCount(line: 1, path: path) }
        guard names.contains("t_s") else { throw .missingColumn("t_s", path: path) }
        let places = names.map { Self.columns.firstIndex(of: $0) }
        var samples: [RecordedSample] = []
        samples.reserveCapacity(lines.count)
        for (number, var line) in zip(2..., lines.dropFirst()) {
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            guard !line.isEmpty else { continue }
            let numbers = try Self.numbers(line, places, line: number, path: path)
            guard let sample = RecordedSample(numbers) else { throw .wrongFieldCount(line: number, path: path) }
            guard sample.timeSeconds > samples.last?.timeSeconds ?? -.infinity else {
                throw .timeNotIncreasing(line: number, path: path)
            }
            samples.append(sample)
        }
        self.samples = samples
    }

    /// The numbers of a line in the order of `columns`, from the place of each of its fields there.
    private static func numbers(
        _ fields: ArraySlice<UInt8>, _ places: [Int?], line: Int, path: String
    ) throws(RecordingError) -> [Double?] {
        let texts = fields.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard texts.count <= places.count else { throw .wrongFieldCount(line: line, path: path) }
        var numbers = [Double?](repeating: nil, count: columns.count)
        for case (let place?, let text) in zip(places, texts) where !text.isEmpty {
            guard let number = Double(String(decoding: text, as: UTF8.self)), number.isFinite else {
                throw .notANumber(line: line, column: columns[place], path: path)
            }
            numbers[place] = number
        }
        return numbers
    }
}

extension RecordedSample {
    /// Nil without a time, or when only some axes of a sensor are there.
    fileprivate init?(_ numbers: [Double?]) {
        guard let time = numbers[0] else { return nil }
        var vectors: [SIMD3<Float>?] = []
        for first in [1, 4, 7] {
            let axes = numbers[first..<first + 3].compactMap { $0.map { Float($0) } }
            guard axes.isEmpty || axes.count == 3 else { return nil }
            vectors.append(axes.isEmpty ? nil : SIMD3(axes))
        }
        self.init(
            timeSeconds: time, acceleration: vectors[0], angularVelocity: vectors[1], magneticField: vectors[2],
            pressureHectopascals: numbers[10].map { Float($0) })
    }
}

/// A mistake in a recorded file, with its place.
package enum RecordingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file cannot be read.
    case unreadable(path: String)
    /// The file has no header line.
    case noHeader(path: String)
    /// The header lacks a column that must be there.
    case missingColumn(String, path: String)
    /// A line has more fields than the header, or a required field is missing.
    case wrongFieldCount(line: Int, path: String)
    /// A field is not a finite number.
    case notANumber(line: Int, column: String, path: String)
    /// The time is not later than on the line before.
    case timeNotIncreasing(line: Int, path: String)
    /// A quoted field does not end.
    case openQuote(line: Int, path: String)

    /// One line that says what and where.
    package var description: String {
        switch self {
        case .unreadable(let path): "\(path): cannot be read; check the path and its permissions"
        case .noHeader(let path): "\(path): is empty; the first line must name the columns"
        case .missingColumn(let column, let path): "\(path):1: the header has no column \(column)"
        case .wrongFieldCount(let line, let path): "\(path):\(line): the fields do not fit the header"
        case .notANumber(let line, let column, let path): "\(path):\(line): \(column) is not a finite number"
        case .timeNotIncreasing(let line, let path): "\(path):\(line): t_s must increase from line to line"
        case .openQuote(let line, let path): "\(path):\(line): a quoted field does not end"
        }
    }
}
