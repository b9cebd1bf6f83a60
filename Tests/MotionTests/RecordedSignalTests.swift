import Foundation
import Motion
import Lab
import Seeded
import Testing
@testable import trials

/// Every fourth recording, so that a debug build is done in a minute; bounds are generous: they catch what breaks, and
/// say nothing about accuracy.
@Suite("Recorded signals", .enabled(if: Recordings.folder != nil, "no recordings folder here"))
struct RecordedSignalTests {
    @Test(
        "Walks and runs: the median error of each group stays small", arguments: [("oxford_opt", 3.0), ("pebble", 6.0)])
    func steps(group: String, medianPercent: Double) throws {
        let results = try Self.results { $0.group == group && ($0.trueSteps ?? 0) > 0 }
        let errors = results.compactMap(\.absolutePercentageError).sorted()
        try #require(errors.count >= 5)
        #expect(errors[errors.count / 2] <= medianPercent)
        let total = Double(Self.steps(results)) / Double(results.reduce(0) { $0 + ($1.trueSteps ?? 0) })
        #expect((0.93...1.07).contains(total))
    }

    @Test("Walks from a slow watch that low-passes them are counted")
    func slowWatch() throws {
        let errors = try Self.entries(every: 6) { $0.group == "pebble" && ($0.trueSteps ?? 0) > 0 }.map { entry in
            let file = try RecordingFile(contentsOf: Self.folder().appendingPathComponent(entry.file))
            let steps = PipelineRun(Self.slowed(file), .worn(entry.placementKeyword)).steps
            let truth = entry.trueSteps ?? 0
            return Double(abs(steps - truth)) / Double(truth)
        }
        try #require(errors.count >= 10)
        #expect(errors.reduce(0, +) < 0.12 * Double(errors.count))
    }

    @Test("What is no gait makes few steps: desk, vehicle, gestures, exercise, still, cycling")
    func falseSteps() throws {
        let results = try Self.results { $0.trueSteps == 0 }
        try #require(results.count >= 5)
        #expect(Double(Self.steps(results)) < 5 * Self.minutes(results))
    }

    @Test("Legs that are raised in place make few steps")
    func legExercises() throws {
        let results = try Self.results(every: 1) { $0.group == "ptex_legs" }
        try #require(results.count >= 10)
        #expect(Double(Self.steps(results)) < 2 * Self.minutes(results))
    }

    @Test("An exercise bike felt at the wrist makes revolutions and no steps")
    func exerciseBike() throws {
        let results = try Self.results(every: 3) { $0.rpmFile != nil }
        try #require(!results.isEmpty)
        for result in results {
            #expect(result.steps <= 20)
            #expect(Double(result.revolutions) > 20 * result.minutes)
        }
    }

    private static func folder() throws -> URL { try #require(Recordings.folder) }

    /// Every so manieth recording that is wanted.
    private static func entries(
        every: Int, where isWanted: (RecordingIndex.Entry) -> Bool
    ) throws -> [RecordingIndex.Entry] {
        let wanted = try RecordingIndex(folder: folder()).entries.filter(isWanted)
        return stride(from: 0, to: wanted.count, by: every).map { wanted[$0] }
    }

    private static func results(
        every: Int = 4, where isWanted: (RecordingIndex.Entry) -> Bool
    ) throws -> [RecordingResult] {
        try entries(every: every, where: isWanted).map {
            try RecordingResult(counting: $0, in: folder(), isConfigured: true)
        }
    }

    private static func steps(_ results: [RecordingResult]) -> Int { results.reduce(0) { $0 + $1.steps } }
    private static func minutes(_ results: [RecordingResult]) -> Double { results.reduce(0) { $0 + $1.minutes } }

    /// A recording at 25 Hz as a watch sends it that low-passes it twice at 4 Hz, leaves out every second sample and rounds
    /// them to 16 mg.
    private static func slowed(_ file: RecordingFile) -> [MotionSample] {
        let (gain, unit): (Float, Float) = (0.5, 0.153)
        guard var (once, twice) = file.samples.first?.acceleration.map({ ($0, $0) }) else { return [] }
        return file.samples.enumerated().compactMap { index, sample in
            once += ((sample.acceleration ?? once) - once) * gain
            twice += (once - twice) * gain
            let time = SyntheticSignal.startMicroseconds + Int64(sample.timeSeconds * 1e6)
            let rounded = (twice / unit).rounded(.toNearestOrAwayFromZero) * unit
            return index % 2 == 0
                ? MotionSample(timeMicroseconds: time, acceleration: rounded, sensors: .acceleration) : nil
        }
    }
}
