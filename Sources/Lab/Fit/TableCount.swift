import Counter
package import Foundation
import Motion
import Wire

/// Counts recordings and simulated subjects with tables that are being fitted.
///
/// A table is the weights and the decoder's numbers as 32-bit floats. A line of the list is `file,table,placed`: the
/// number of the table, and 1 where the pipeline knows the placement. A `file` of `name+3` is the third copy of a
/// recording by a sensor drawn at random, none of which a fit has seen. What comes out has the steps, the revolutions,
/// and of each second the cadence of pedals and of steps and its confidence in percent.
package struct TableCount {
    private let recordings: URL
    private let models: [StateModel]
    private let entries: [String: (number: Int, entry: RecordingIndex.Entry)]
    /// Copies that are counted are numbered from here on; those that a fit sees, from 1.
    private static let firstCopy = 50

    /// Reads the tables of a file.
    package init(recordings: URL, tables: URL) throws {
        self.recordings = recordings
        let floats = try Data(contentsOf: tables).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        models = stride(from: 0, to: floats.count, by: StateModel.tableCount).compactMap {
            StateModel(table: floats[$0..<min($0 + StateModel.tableCount, floats.count)])
        }
        let all = try RecordingIndex(folder: recordings).entries.enumerated().map { ($1.file, (number: $0, entry: $1)) }
        entries = Dictionary(all, uniquingKeysWith: { $1 })
    }

    /// Counts the lines of a list; lines of one file follow one another.
    package func count(_ lines: [Substring], line: (String) -> Void) throws {
        var (file, samples, placement) = (Substring(), [MotionSample](), PlacementGroup.unknown)
        var subjects: (seed: UInt64, all: [SimulatedSubject]) = (.max, [])
        for text in lines {
            let fields = text.split(separator: ",")
            guard fields.count == 3, let table = Int(fields[1]), models.indices.contains(table) else { continue }
            if fields[0] != file {
                file = fields[0]
                let name = file.split(separator: "+")
                if let (number, entry) = entries[String(name[0])] {
                    samples = try FeatureExport.samples(of: entry, folder: recordings)
                    if name.count > 1, let copy = Int(name[1]) {
                        let seed = UInt64(number * 100 + Self.firstCopy + copy)
                        var sensor = SensorCopy(seed: seed, stretches: 1...1)
                        samples = sensor.applied(to: samples)
                    }
                    placement = PlacementGroup(entry.placementKeyword)
                } else {
                    let parts = file.split(separator: "/").compactMap { UInt64($0) }
                    guard parts.count == 2 else { continue }
                    if parts[0] != subjects.seed { subjects = (parts[0], SimulatedSubject.all(seed: parts[0])) }
                    let subject = subjects.all[Int(parts[1])]
                    samples = try subject.samples().samples
                    placement = PlacementGroup(SensorPlacement(rawValue: subject.placement) ?? .unknown)
                }
            }
            line("\(text),\(count(samples, table, fields[2] == "1" ? placement : .unknown))")
        }
    }

    private func count(_ samples: [MotionSample], _ table: Int, _ placement: PlacementGroup) -> String {
        let configuration = MotionConfiguration(kind: .wearable, placement: placement)
        var pipeline = MotionPipeline(configuration: configuration, model: models[table])
        var events = MotionEvents()
        for var sample in samples {
            sample.timeMicroseconds += RecordingFile.startMicroseconds
            pipeline.process(sample, into: &events)
        }
        pipeline.flush(into: &events)
        var (steps, revolutions, seconds) = (0, 0, [String]())
        for event in events {
            switch event {
            case .steps(let count, _): steps += count
            case .revolutions(let count, _): revolutions += count
            case .second(let report):
                seconds.append(
                    [report.cadenceRPM, report.cadenceSPM, 100 * report.confidence]
                        .map { DecimalText.fixed(Double($0), decimals: 1) }.joined(separator: " "))
            }
        }
        return "\(steps),\(revolutions),\(seconds.joined(separator: ";"))"
    }
}
