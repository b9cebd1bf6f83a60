import Bodies
import Counter
import Foundation
import Motion
import Wire
import Lab

/// Writes the features of recordings, of copies of them and of simulated subjects for `Tools/fit`.
///
/// `features.bin` holds a row of 16-bit integers a moment: the moment's time in milliseconds of the original in two, the
/// sensors, and the features, curves in units of 1/16384 and levels in units of 1/1024. `takes.csv` says which rows are
/// whose, and `events.csv` has the steps and revolutions of the simulated.
struct FeatureExport {
    private static let curveUnit: Float = 16_384
    private static let levelUnit: Float = 1024

    private let recordings: URL
    private let output: URL
    private var rows: [Int16] = []
    private var rowCount = 0
    private var takes = "file,kind,subject,placement,activity,copy,stretch,first_row,rows\n"
    private var events = "file,t_s\n"
    private let file: FileHandle

    /// Opens the files of a folder.
    init(recordings: URL, output: URL) throws {
        self.recordings = recordings
        self.output = output
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        let path = output.appendingPathComponent("features.bin")
        try Data().write(to: path)
        file = try FileHandle(forWritingTo: path)
    }

    /// Writes recordings, each with so many copies, of which every so many moments are taken.
    mutating func writeRecordings(copies: Int, copyStep: Int) throws {
        for (number, entry) in try RecordingIndex(folder: recordings).entries.enumerated() {
            let samples = try Self.samples(of: entry, folder: recordings)
            let placement = entry.placementKeyword.rawValue
            let start = "\(entry.file),recording,\(entry.subject),\(placement),\(Self.plain(entry.activity))"
            try write(samples, sensor: nil, step: 1, phase: 0, line: start + ",0")
            // Those who make no steps are few, and what they do has any pace.
            for copy in 0..<(entry.trueSteps == 0 ? 2 * copies : copies) {
                let stretches = entry.trueSteps == 0 ? 0.6...1.8 : 0.92...1.08
                var sensor = SensorCopy(seed: UInt64(number * 100 + copy), stretches: stretches)
                let copied = sensor.applied(to: samples)
                try write(
                    copied, sensor: sensor, step: copyStep, phase: (number + copy) % copyStep,
                    line: start + ",\(copy + 1)")
            }
        }
    }

    /// Writes everyone of some seeds, each with a sensor drawn at random.
    mutating func writeSimulated(seeds: Range<UInt64>, step: Int) throws {
        for seed in seeds {
            for (number, subject) in SimulatedSubject.all(seed: seed).enumerated() {
                let name = "sim/\(seed)/\(number)"
                let (samples, times) = try subject.samples()
                var sensor = SensorCopy(seed: seed * 1000 + UInt64(number), stretches: 0.92...1.08)
                let copied = sensor.applied(to: samples)
                for time in times { events += "\(name),\(time)\n" }
                try write(
                    copied, sensor: sensor, step: step, phase: number % step,
                    line: "\(name),\(subject.kind),sim-\(seed),\(subject.placement),\(subject.activity),1")
            }
        }
    }

    /// Writes the lists of the rows and of the events.
    mutating func close() throws {
        try flush()
        try file.close()
        try Data(takes.utf8).write(to: output.appendingPathComponent("takes.csv"))
        try Data(events.utf8).write(to: output.appendingPathComponent("events.csv"))
    }

    private mutating func write(
        _ samples: [MotionSample], sensor: SensorCopy?, step: Int, phase: Int, line: String
    ) throws {
        let (first, stretch) = (rowCount, sensor?.stretch ?? 1)
        let start = RecordingFile.startMicroseconds + (sensor?.delayMicroseconds ?? 0)
        var recorder = FeatureRecorder()
        var moment = 0
        for var sample in samples {
            sample.timeMicroseconds += RecordingFile.startMicroseconds
            recorder.process(sample) { time, sensors, features in
                moment += 1
                guard moment % step == phase else { return }
                let milliseconds = Int32(Double(time - start) / 1000 / stretch)
                rows.append(Int16(truncatingIfNeeded: milliseconds))
                rows.append(Int16(truncatingIfNeeded: milliseconds >> 16))
                rows.append(Int16(sensors.rawValue))
                let levels = features.count - FeatureRecorder.levelCount..<features.count
                for (index, value) in features.enumerated() {
                    let unit = levels.contains(index) ? Self.levelUnit : Self.curveUnit
                    rows.append(Int16(min(max(value * unit, -32_767), 32_767)))
                }
                rowCount += 1
            }
        }
        takes += "\(line),\(stretch),\(first),\(rowCount - first)\n"
        if rows.count > 4_000_000 { try flush() }
    }

    private mutating func flush() throws {
        let data = rows.withUnsafeBytes { Data($0) }
        rows.removeAll(keepingCapacity: true)
        try file.write(contentsOf: data)
    }

    private static func plain(_ text: String) -> String {
        text.lowercased().replacingOccurrences(of: ",", with: " ").replacingOccurrences(of: "\"", with: "")
    }

    /// A recording as a pipeline takes it, from 0 s on.
    static func samples(of entry: RecordingIndex.Entry, folder: URL) throws -> [MotionSample] {
        let samples = try RecordingFile(contentsOf: folder.appendingPathComponent(entry.file)).samples
        return samples.compactMap { recorded in
            let sensors = Motion.SensorSet(recorded.sensors)
                .intersection([.acceleration, .angularVelocity])
            guard !sensors.isEmpty else { return nil }
            return MotionSample(
                timeMicroseconds: Int64((recorded.timeSeconds * 1e6).rounded()),
                acceleration: recorded.acceleration ?? .zero, angularVelocity: recorded.angularVelocity ?? .zero,
                sensors: sensors)
        }
    }
}
