import Bodies
import Counter
import Foundation
import Motion
import Wire
import Lab

/// Counts recordings and simulated subjects with tables that are being fitted.
///
/// A table is the weights and the decoder's numbers as 32-bit floats. A line of the list is `file,table,told`: the
/// number of the table, and what the pipeline is told, the number of a ``Told``. A `file` of `name+3` is the third copy of a
/// recording by a sensor drawn at random, none of which a fit has seen. What comes out has the steps, the revolutions,
/// of each second the cadence of pedals and of steps and its confidence in percent, and the time of each step in seconds.
struct TableCount {
    private let recordings: URL
    private let models: [StateModel]
    private let entries: [String: (number: Int, entry: RecordingIndex.Entry)]
    /// Copies that are counted are numbered from here on; those that a fit sees, from 1.
    private static let firstCopy = 50

    /// What a pipeline is told of its device.
    private enum Told: Int {
        case nothing, kindAndPlacement, kind

        func configuration(_ placement: PlacementGroup) -> MotionConfiguration {
            switch self {
            case .nothing: MotionConfiguration()
            case .kindAndPlacement: MotionConfiguration(kind: .wearable, placement: placement)
            case .kind: MotionConfiguration(kind: .wearable)
            }
        }
    }

    /// Reads the tables of a file.
    init(recordings: URL, tables: URL) throws {
        self.recordings = recordings
        let floats = try Data(contentsOf: tables).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        models = stride(from: 0, to: floats.count, by: StateModel.tableCount).compactMap {
            StateModel(table: floats[$0..<min($0 + StateModel.tableCount, floats.count)])
        }
        let all = try RecordingIndex(folder: recordings).entries.enumerated().map { ($1.file, (number: $0, entry: $1)) }
        entries = Dictionary(all, uniquingKeysWith: { $1 })
    }

    /// Counts the lines of a list; lines of one file follow one another. Lines of which there is no table or no file are
    /// left out.
    func count(_ lines: [Substring], line: (String) -> Void) throws {
        var (file, take) = (Substring(), nil as (samples: [MotionSample], placement: PlacementGroup)?)
        for text in lines {
            let fields = text.split(separator: ",")
            guard fields.count == 3, let table = Int(fields[1]), models.indices.contains(table),
                let told = Int(fields[2]).flatMap(Told.init)
            else { continue }
            if fields[0] != file { (file, take) = (fields[0], try self.take(fields[0])) }
            guard let take else { continue }
            line("\(text),\(count(take.samples, table, told.configuration(take.placement)))")
        }
    }

    /// The samples of a file and the placement of its sensor; nil where there is no such file.
    private func take(_ file: Substring) throws -> (samples: [MotionSample], placement: PlacementGroup)? {
        let name = file.split(separator: "+", omittingEmptySubsequences: false)
        if let (number, entry) = entries[String(name[0])] {
            var samples = try FeatureExport.samples(of: entry, folder: recordings)
            if name.count > 1, let copy = UInt32(name[1]) {
                let seed = UInt64(number * 100 + Self.firstCopy) + UInt64(copy)
                var sensor = SensorCopy(seed: seed, stretches: 1...1)
                samples = sensor.applied(to: samples)
            }
            return (samples, PlacementGroup(entry.placementKeyword))
        }
        let parts = file.split(separator: "/").compactMap { UInt64($0) }
        guard parts.count == 2 else { return nil }
        let subjects = SimulatedSubject.all(seed: parts[0])
        guard let number = Int(exactly: parts[1]), subjects.indices.contains(number) else { return nil }
        return (try subjects[number].samples().samples, PlacementGroup(subjects[number].placement.sensor))
    }

    private func count(_ samples: [MotionSample], _ table: Int, _ configuration: MotionConfiguration) -> String {
        var pipeline = MotionPipeline(configuration: configuration, model: models[table])
        var events = MotionEvents()
        var samples = samples
        for index in samples.indices { samples[index].timeMicroseconds += RecordingFile.startMicroseconds }
        pipeline.process(samples.span, into: &events)
        pipeline.flush(into: &events)
        var (steps, revolutions, seconds, times) = (0, 0, [String](), [String]())
        for event in events {
            switch event {
            case .steps(let count, let time):
                steps += count
                let stepSeconds = Double(time - RecordingFile.startMicroseconds) / 1e6
                times.append(DecimalText.fixed(stepSeconds, decimals: 2))
            case .revolutions(let count, _): revolutions += count
            case .second(let report):
                seconds.append(
                    [report.cadenceRPM, report.cadenceSPM, 100 * report.confidence]
                        .map { DecimalText.fixed(Double($0), decimals: 1) }.joined(separator: " "))
            }
        }
        return "\(steps),\(revolutions),\(seconds.joined(separator: ";")),\(times.joined(separator: ";"))"
    }
}
