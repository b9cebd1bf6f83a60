package import Foundation
import Motion
import Wire

/// Counts recordings and simulated subjects with tables that are being fitted, or with the rules.
///
/// A table is the weights and the decoder's numbers as 32-bit floats. A line of the list is `file,table,told`: the number
/// of the table, or −1 for the estimator of the period, and 1 where the pipeline is told the placement. What comes out has
/// the steps, the revolutions, the minutes and the cadence of each second.
package struct TableCount {
    private let recordings: URL
    private let models: [StateModel]
    private let entries: [String: RecordingIndex.Entry]

    /// Reads the tables of a file.
    package init(recordings: URL, tables: URL) throws {
        self.recordings = recordings
        let floats = try Data(contentsOf: tables).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        models = stride(from: 0, to: floats.count, by: StateModel.tableCount).compactMap {
            StateModel(table: floats[$0..<min($0 + StateModel.tableCount, floats.count)])
        }
        let all = try RecordingIndex(folder: recordings).entries.map { ($0.file, $0) }
        entries = Dictionary(all, uniquingKeysWith: { $1 })
    }

    /// Counts the lines of a list; lines of one file follow one another.
    package func count(_ lines: [Substring], line: (String) -> Void) throws {
        var (file, samples, placement) = (Substring(), [MotionSample](), Placement.unknown)
        var subjects: (seed: UInt64, all: [SimulatedSubject]) = (.max, [])
        for text in lines {
            let fields = text.split(separator: ",")
            guard fields.count == 3, let table = Int(fields[1]), table < models.count else { continue }
            if fields[0] != file {
                file = fields[0]
                if let entry = entries[String(file)] {
                    samples = try FeatureExport.samples(of: entry, folder: recordings)
                    placement = Self.placement(entry.placementKeyword.rawValue)
                } else {
                    let parts = file.split(separator: "/").compactMap { UInt64($0) }
                    guard parts.count == 2 else { continue }
                    if parts[0] != subjects.seed { subjects = (parts[0], SimulatedSubject.all(seed: parts[0])) }
                    let subject = subjects.all[Int(parts[1])]
                    samples = try subject.samples().samples
                    placement = Self.placement(subject.placement)
                }
            }
            line("\(text),\(count(samples, table, fields[2] == "1" ? placement : .unknown))")
        }
    }

    private func count(_ samples: [MotionSample], _ table: Int, _ placement: Placement) -> String {
        var configuration = MotionConfiguration(
            kind: placement == .unknown ? .unknown : .wearable, placement: placement,
            estimator: table < 0 ? .periodic : .fitted)
        if table >= 0 { configuration.kind = .wearable }
        var pipeline =
            table < 0
            ? MotionPipeline(configuration: configuration)
            : MotionPipeline(configuration: configuration, model: models[table])
        var events = MotionEvents()
        for var sample in samples {
            sample.timeMicroseconds += FeatureExport.startMicroseconds
            pipeline.process(sample, into: &events)
        }
        pipeline.flush(into: &events)
        var (steps, revolutions, cadences) = (0, 0, [String]())
        for event in events {
            switch event {
            case .steps(let count, _): steps += count
            case .revolutions(let count, _): revolutions += count
            case .second(let report): cadences.append(DecimalText.fixed(Double(report.cadenceRPM), decimals: 1))
            }
        }
        return "\(steps),\(revolutions),\(cadences.joined(separator: ";"))"
    }

    private static func placement(_ word: String) -> Placement {
        Placement.allCases.first { "\($0)" == word } ?? .unknown
    }
}
