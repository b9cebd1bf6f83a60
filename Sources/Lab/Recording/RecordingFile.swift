package import Foundation

/// A recorded CSV file: a header that names the columns, then one sample a line with strictly increasing time.
package struct RecordingFile: Sendable {
    /// The samples, in order.
    package let samples: [RecordedSample]

    /// A recording of samples that are in order.
    package init(samples: [RecordedSample]) {
        self.samples = samples
    }

    /// Reads a file whole.
    package init(contentsOf url: URL) throws(RecordingError) {
        try self.init(csv: try CSVTable.bytes(of: url), path: url.path)
    }

    /// Parses the bytes of a file; `path` is named in errors.
    package init(csv bytes: [UInt8], path: String = "recording") throws(RecordingError) {
        var parser = try SampleParser(csv: bytes, path: path)
        try bytes.withUnsafeBufferPointer { bytes throws(RecordingError) in try parser.parseLines(bytes) }
        samples = parser.samples
    }

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
    /// Pressure of the air, hPa, on the lines on which a barometer spoke.
    package var pressureHectopascals: Float?

    package init(
        timeSeconds: Double, acceleration: SIMD3<Float>? = nil, angularVelocity: SIMD3<Float>? = nil,
        magneticField: SIMD3<Float>? = nil, pressureHectopascals: Float? = nil
    ) {
        self.timeSeconds = timeSeconds
        self.acceleration = acceleration
        self.angularVelocity = angularVelocity
        self.magneticField = magneticField
        self.pressureHectopascals = pressureHectopascals
    }
}

/// Goes through a recording's lines once. Columns are found by name, in any order; unknown ones are skipped.
struct SampleParser {
    private static let columnNames = ["t_s", "ax", "ay", "az", "gx", "gy", "gz", "mx", "my", "mz", "pressure_hpa"]
    /// The most columns a file may have.
    private static let maximumColumns = 64

    private(set) var samples: [RecordedSample] = []
    private let path: String
    /// For each field of a line, its place in `columnNames`, or −1.
    private var places: [Int] = []
    private let bodyStart: Int
    private var lastTime = -Double.infinity

    init(csv bytes: [UInt8], path: String) throws(RecordingError) {
        self.path = path
        let headerEnd = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        let header = String(decoding: bytes[..<headerEnd], as: UTF8.self).filter { $0 != "\r" && $0 != "\u{FEFF}" }
        guard !header.isEmpty else { throw .noHeader(path: path) }
        let names = header.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard names.count <= Self.maximumColumns else { throw .wrongFieldCount(line: 1, path: path) }
        guard names.contains("t_s") else { throw .missingColumn("t_s", path: path) }
        places = names.map { Self.columnNames.firstIndex(of: $0) ?? -1 }
        bodyStart = min(headerEnd + 1, bytes.count)
        samples.reserveCapacity((bytes.count - bodyStart) / 24)
    }

    mutating func parseLines(_ bytes: UnsafeBufferPointer<UInt8>) throws(RecordingError) {
        var start = bodyStart
        var line = 1
        while start < bytes.count {
            line += 1
            var end = start
            while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
            let next = end + 1
            if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
            if end > start {
                try parseLine(bytes, start..<end, line)
            }
            start = next
        }
    }

    private mutating func parseLine(
        _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ line: Int
    ) throws(RecordingError) {
        var fields = LineFields()
        var column = 0
        var fieldStart = range.lowerBound
        for index in range.lowerBound...range.upperBound {
            guard index == range.upperBound || bytes[index] == UInt8(ascii: ",") else { continue }
            guard column < places.count else { throw .wrongFieldCount(line: line, path: path) }
            let place = places[column]
            if place >= 0, fieldStart < index {
                guard let value = NumberParser.parse(bytes, fieldStart..<index) else {
                    throw .notANumber(line: line, column: Self.columnNames[place], path: path)
                }
                fields.set(value, place: place)
            }
            column += 1
            fieldStart = index + 1
        }
        guard let sample = fields.sample else { throw .wrongFieldCount(line: line, path: path) }
        guard sample.timeSeconds > lastTime else { throw .timeNotIncreasing(line: line, path: path) }
        lastTime = sample.timeSeconds
        samples.append(sample)
    }
}

/// The numbers of one line, by their place in the list of columns.
private struct LineFields {
    private var time = 0.0
    private var acceleration = SIMD3<Float>.zero
    private var angularVelocity = SIMD3<Float>.zero
    private var magneticField = SIMD3<Float>.zero
    private var pressure: Float = 0
    private var present: UInt16 = 0

    @inline(__always)
    mutating func set(_ value: Double, place: Int) {
        present |= 1 << UInt16(place)
        switch place {
        case 0: time = value
        case 1...3: acceleration[place - 1] = Float(value)
        case 4...6: angularVelocity[place - 4] = Float(value)
        case 7...9: magneticField[place - 7] = Float(value)
        default: pressure = Float(value)
        }
    }

    /// Nil without a time, or when only some axes of a sensor are there.
    var sample: RecordedSample? {
        guard present & 1 != 0, isWhole(shift: 1), isWhole(shift: 4), isWhole(shift: 7) else { return nil }
        return RecordedSample(
            timeSeconds: time, acceleration: has(shift: 1) ? acceleration : nil,
            angularVelocity: has(shift: 4) ? angularVelocity : nil, magneticField: has(shift: 7) ? magneticField : nil,
            pressureHectopascals: present >> 10 & 1 == 1 ? pressure : nil)
    }

    private func has(shift: UInt16) -> Bool { present >> shift & 7 == 7 }

    private func isWhole(shift: UInt16) -> Bool { has(shift: shift) || present >> shift & 7 == 0 }
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
