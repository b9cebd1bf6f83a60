import Motion
import Simulator
import Testing

/// Walks that are not those of a healthy young adult on a pavement.
@Suite("Gaits", .timeLimit(.minutes(5)))
struct GaitTests {
    private static let seeds: ClosedRange<UInt64> = 1...3

    @Test("A slow walk is counted, though a body hardly rises in it", arguments: [60.0, 75], seeds)
    func slow(stepsPerMinute: Double, seed: UInt64) throws {
        let hip = try SimulatedWalk(.walk(stepsPerMinute: stepsPerMinute), .hip, seed: seed)
        #expect((0.88...1.03).contains(hip.countedShare(.hip)))
        let pocket = try SimulatedWalk(.walk(stepsPerMinute: stepsPerMinute), .pocket, seed: seed)
        #expect((0.85...1.05).contains(pocket.countedShare(.pocket)))
    }

    @Test("A limp is counted, with one step half as long again as the other", arguments: [90.0, 110], seeds)
    func limp(stepsPerMinute: Double, seed: UInt64) throws {
        let limp = Limp(shortStepShare: 0.4, weakFootStrength: 0.6)
        let activity = WalkActivity.walk(stepsPerMinute: stepsPerMinute)
        let hip = try SimulatedWalk(activity, .hip, limp: limp, seed: seed)
        #expect((0.7...1.03).contains(hip.countedShare(.hip)))
        let pocket = try SimulatedWalk(activity, .pocket, limp: limp, seed: seed)
        #expect((0.95...1.03).contains(pocket.countedShare(.pocket)))
    }

    @Test("A limping walker's wrist is counted", arguments: seeds)
    func limpingWrist(seed: UInt64) throws {
        let limp = Limp(shortStepShare: 0.4, weakFootStrength: 0.6)
        let walk = try SimulatedWalk(.walk(stepsPerMinute: 110), .wrist, limp: limp, seed: seed)
        #expect((0.97...1.03).contains(walk.countedShare(.wrist)))
    }

    @Test("A wrist that is sampled slowly is counted as one that is not", arguments: [10.0, 12.5, 25, 100], seeds)
    func slowSamples(rateHz: Double, seed: UInt64) throws {
        let walk = try SimulatedWalk(.walk(stepsPerMinute: 105), .wrist, rateHz: rateHz, seed: seed)
        #expect((0.97...1.03).contains(walk.countedShare(.wrist)))
    }

    @Test(
        "A fast run is not taken for one at half the pace, though the arm swings once in two steps",
        arguments: [190.0, 210], seeds)
    func fastRun(stepsPerMinute: Double, seed: UInt64) throws {
        let run = try SimulatedWalk(.run(stepsPerMinute: stepsPerMinute), .wrist, seed: seed)
        #expect((0.97...1.03).contains(run.countedShare(.wrist)))
    }

    @Test("The same walk a tenth weaker or stronger is counted the same", arguments: [Float(0.9), 1.1], seeds)
    func scaled(factor: Float, seed: UInt64) throws {
        let walk = try SimulatedWalk(.walk(stepsPerMinute: 110), .wrist, seed: seed)
        let mean = walk.samples.reduce(SIMD3<Float>.zero) { $0 + $1.acceleration } / Float(walk.samples.count)
        let scaled = walk.samples.map { sample in
            var sample = sample
            sample.acceleration = mean + (sample.acceleration - mean) * factor
            return sample
        }
        let configuration = MotionConfiguration(kind: .wearable, placement: .wrist)
        #expect(abs(PipelineRun(scaled, configuration).steps - PipelineRun(walk.samples, configuration).steps) <= 2)
    }

    @Test("What moves a bag before its bearer walks makes no steps", arguments: seeds)
    func fumbling(seed: UInt64) {
        var signal = SyntheticSignal(seed: seed)
        signal.rest(seconds: 3)
        signal.fumble(seconds: 4, deviation: 1.5)
        signal.walk(seconds: 30, stepsPerSecond: 1.9, amplitude: 2)
        signal.rest(seconds: 6)
        let run = PipelineRun(signal.samples, MotionConfiguration(kind: .wearable, placement: .bag))
        #expect(abs(run.steps - 57) <= 3)
    }
}
