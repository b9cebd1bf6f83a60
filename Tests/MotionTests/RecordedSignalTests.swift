import Foundation
import Motion
import Counter
import Lab
import Seeded
import Testing
import enum Wire.SensorPlacement

/// Every fourth recording, so that a debug build is done in a minute; bounds are generous: they catch what breaks, and
/// say nothing about accuracy.
@Suite("Recorded signals", .enabled(if: Recordings.folder != nil, "no recordings folder here"))
struct RecordedSignalTests {
    @Test(
        "Walks and runs: the median error of each group stays small", arguments: [("oxford_opt", 3.0), ("pebble", 6.0)])
    func steps(group: String, medianPercent: Double) throws {
        let results = try RecordedSignals.results { $0.group == group && ($0.trueSteps ?? 0) > 0 }
        let errors = results.map { result in
            100 * abs(Double(result.run.steps) - result.truth) / result.truth
        }.sorted()
        try #require(errors.count >= 5)
        #expect(errors[errors.count / 2] <= medianPercent)
        let total = Double(results.map(\.run.steps).reduce(0, +)) / results.map(\.truth).reduce(0, +)
        #expect((0.93...1.07).contains(total))
    }

    @Test("What is no gait makes few steps: desk, vehicle, gestures, exercise, still, cycling")
    func falseSteps() throws {
        let results = try RecordedSignals.results { $0.trueSteps == 0 }
        try #require(results.count >= 5)
        let minutes = results.map(\.minutes).reduce(0, +)
        #expect(Double(results.map(\.run.steps).reduce(0, +)) / minutes < 5)
    }

    @Test("An exercise bike felt at the wrist makes revolutions and no steps")
    func exerciseBike() throws {
        let results = try RecordedSignals.results(every: 3) { $0.rpmFile != nil }
        try #require(!results.isEmpty)
        for result in results {
            #expect(result.run.steps <= 20)
            #expect(Double(result.run.revolutions) > 20 * result.minutes)
        }
    }
}

/// Runs pipelines over the folder of recordings.
enum RecordedSignals {
    struct Result {
        let run: PipelineRun
        let truth: Double
        let minutes: Double
    }

    /// Results of every `every`th recording that is wanted.
    static func results(every: Int = 4, where isWanted: (RecordingIndex.Entry) -> Bool) throws -> [Result] {
        let folder = try #require(Recordings.folder)
        let wanted = try RecordingIndex(folder: folder).entries.filter(isWanted)
        return try wanted.enumerated().filter { $0.offset % every == 0 }.map { try result($0.element, folder) }
    }

    private static func result(_ entry: RecordingIndex.Entry, _ folder: URL) throws -> Result {
        let file = try RecordingFile(contentsOf: folder.appendingPathComponent(entry.file))
        let configuration = MotionConfiguration(kind: .wearable, placement: PlacementGroup(entry.placementKeyword))
        return Result(
            run: PipelineRun(file.samples.map(MotionSample.init), configuration), truth: Double(entry.trueSteps ?? 0),
            minutes: file.durationSeconds / 60)
    }
}

extension MotionSample {
    init(_ recorded: RecordedSample) {
        var sensors: SensorSet = []
        if recorded.acceleration != nil { sensors.insert(.acceleration) }
        if recorded.angularVelocity != nil { sensors.insert(.angularVelocity) }
        if recorded.magneticField != nil { sensors.insert(.magneticField) }
        self.init(
            timeMicroseconds: SyntheticSignal.startMicroseconds + Int64(recorded.timeSeconds * 1e6),
            acceleration: recorded.acceleration ?? .zero, angularVelocity: recorded.angularVelocity ?? .zero,
            magneticField: recorded.magneticField ?? .zero, sensors: sensors)
    }
}
