import Foundation
import Motion
import Counter
import Lab
import Seeded
import Testing
import trials
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

    @Test("Walks from a slow watch that low-passes them are counted")
    func slowWatch() throws {
        let results = try RecordedSignals.results(every: 6, copy: RecordedSignals.slowed) {
            $0.group == "pebble" && ($0.trueSteps ?? 0) > 0
        }
        try #require(results.count >= 10)
        let errors = results.map { abs(Double($0.run.steps) - $0.truth) / $0.truth }
        #expect(errors.reduce(0, +) < 0.12 * Double(errors.count))
    }

    @Test("What is no gait makes few steps: desk, vehicle, gestures, exercise, still, cycling")
    func falseSteps() throws {
        let results = try RecordedSignals.results { $0.trueSteps == 0 }
        try #require(results.count >= 5)
        let minutes = results.map(\.minutes).reduce(0, +)
        #expect(Double(results.map(\.run.steps).reduce(0, +)) / minutes < 5)
    }

    @Test("Legs that are raised in place make few steps")
    func legExercises() throws {
        let results = try RecordedSignals.results(every: 1) { $0.group == "ptex_legs" }
        try #require(results.count >= 10)
        let minutes = results.map(\.minutes).reduce(0, +)
        #expect(Double(results.map(\.run.steps).reduce(0, +)) < 2 * minutes)
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
    /// - Parameter copy: What is counted in place of a recording's samples.
    static func results(
        every: Int = 4, copy: ([MotionSample]) -> [MotionSample] = { $0 },
        where isWanted: (RecordingIndex.Entry) -> Bool
    ) throws -> [Result] {
        let folder = try #require(Recordings.folder)
        let wanted = try RecordingIndex(folder: folder).entries.filter(isWanted)
        return try wanted.enumerated().filter { $0.offset % every == 0 }.map { try result($0.element, folder, copy) }
    }

    /// Samples at 25 Hz as a watch sends them that low-passes them twice at 4 Hz, leaves out every second one and rounds them
    /// to 16 mg.
    static func slowed(_ samples: [MotionSample]) -> [MotionSample] {
        guard var (once, twice) = samples.first.map({ ($0.acceleration, $0.acceleration) }) else { return [] }
        let (gain, unit): (Float, Float) = (0.5, 0.153)
        let smooth = samples.map { sample in
            once += (sample.acceleration - once) * gain
            twice += (once - twice) * gain
            var copy = sample
            copy.acceleration = (twice / unit).rounded(.toNearestOrAwayFromZero) * unit
            return copy
        }
        return stride(from: 0, to: smooth.count, by: 2).map { smooth[$0] }
    }

    private static func result(
        _ entry: RecordingIndex.Entry, _ folder: URL, _ copy: ([MotionSample]) -> [MotionSample]
    ) throws -> Result {
        let file = try RecordingFile(contentsOf: folder.appendingPathComponent(entry.file))
        let configuration = MotionConfiguration(kind: .wearable, placement: PlacementGroup(entry.placementKeyword))
        return Result(
            run: PipelineRun(copy(file.samples.map(MotionSample.init)), configuration),
            truth: Double(entry.trueSteps ?? 0),
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
