import Motion
import Seeded
@testable import Bodies
import Lab
import Testing

/// Walks that are not those of a healthy young adult on a pavement.
@Suite("Gaits")
struct GaitTests {
    private static let seeds: ClosedRange<UInt64> = Sweep.seeds(1...3)

    @Test("A slow pedaller's wrist makes no steps, though it moves as slowly as a walker's arm", arguments: [25.0, 30])
    func slowPedaller(rpm: Double) {
        var signal = SyntheticSignal(seed: 31)
        signal.pedalAtWrist(seconds: 60, rpm: rpm, gestureSeconds: 20...21)
        let run = PipelineRun(signal.samples, .wrist)
        #expect(run.steps == 0)
    }

    @Test("What an arm does before and after a walk hardly makes steps", arguments: 1...6 as ClosedRange<UInt64>)
    func gestures(seed: UInt64) {
        var signal = SyntheticSignal(seed: seed)
        signal.rest(seconds: 3)
        signal.fumble(seconds: 3, deviation: 1.5)
        signal.walk(seconds: 30, stepsPerSecond: 1.9, amplitude: 2)
        signal.fumble(seconds: 3, deviation: 1.5)
        let run = PipelineRun(signal.samples, .wrist)
        #expect((55...64).contains(run.steps))
    }

    @Test("The same walk weaker or stronger is counted the same", arguments: [Float(0.7), 0.9, 1.1, 1.3], [12.5, 50])
    func scaled(factor: Float, rateHz: Double) throws {
        for seed in Self.seeds {
            let walk = try SimulatedSignal(.walk(110), .wrist, rateHz: rateHz, seed: seed)
            let mean = walk.samples.reduce(SIMD3<Float>.zero) { $0 + $1.acceleration } / Float(walk.samples.count)
            let scaled = walk.samples.map { sample in
                var sample = sample
                sample.acceleration = mean + (sample.acceleration - mean) * factor
                return sample
            }
            let difference = PipelineRun(scaled, .wrist).steps - PipelineRun(walk.samples, .wrist).steps
            #expect(abs(difference) <= 2)
        }
    }

    @Test("Soft and uneven steps of a trembling hand are no ride on a road", arguments: [UInt64(1), 2, 3, 4])
    func tremblingHand(seed: UInt64) {
        var signal = SyntheticSignal(seed: seed)
        signal.rest(seconds: 3)
        signal.walk(seconds: 120, stepsPerSecond: 1.3, amplitude: 0.8, noise: 0.8, wander: 0.08)
        let run = PipelineRun(signal.samples, .carried)
        #expect((125...170).contains(run.steps))
    }

    @Test("What moves a bag before its bearer walks makes a soft first step at most", arguments: seeds)
    func fumbling(seed: UInt64) {
        var signal = SyntheticSignal(seed: seed)
        signal.rest(seconds: 3)
        signal.fumble(seconds: 4, deviation: 1.5)
        signal.walk(seconds: 30, stepsPerSecond: 1.9, amplitude: 2)
        signal.rest(seconds: 6)
        let run = PipelineRun(signal.samples, .carried)
        #expect(abs(run.steps - 57) <= 4)
    }

    @Test(
        "Squats make few steps and no revolutions, though they come as evenly as slow steps",
        arguments: [21.0, 30, 42])
    func squats(perMinute: Double) {
        var (steps, revolutions) = (0, 0)
        for seed in UInt64(1)...8 {
            var signal = SyntheticSignal(seed: seed)
            signal.rest(seconds: 5)
            signal.squat(seconds: 60, perMinute: perMinute, metres: 0.35)
            signal.rest(seconds: 5)
            let run = PipelineRun(signal.samples, .carried)
            (steps, revolutions) = (steps + run.steps, revolutions + run.revolutions)
        }
        #expect(steps < 8 * 10, "steps")
        #expect(revolutions < 8 * 5, "revolutions")
    }

    @Test("Work with a hand makes fewer steps than a fifth of a walk", arguments: [12.5, 50])
    func work(rateHz: Double) throws {
        let runs = try HandWork.allCases.flatMap { work in
            try Sweep.seeds(1..<7, sample: 2).map { seed in
                PipelineRun(
                    try SimulatedSignal(.works(work), .wrist, rateHz: rateHz, seed: seed).samples, .wrist)
            }
        }
        // For two minutes each; a walk is 110 steps a minute.
        #expect(runs.reduce(0) { $0 + $1.steps } < 2 * 22 * runs.count)
    }
}
