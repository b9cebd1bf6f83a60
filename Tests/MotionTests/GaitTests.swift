import Motion
import Seeded
@testable import Bodies
import Lab
import Testing

/// Walks that are not those of a healthy young adult on a pavement.
@Suite("Gaits")
struct GaitTests {
    private static let seeds: ClosedRange<UInt64> = Sweep.seeds(1...3)

    @Test("A slow walk is counted, though a body hardly rises in it", arguments: [50.0, 60, 75], seeds)
    func slow(stepsPerMinute: Double, seed: UInt64) throws {
        let activity = WalkActivity.walk(stepsPerMinute: stepsPerMinute)
        let hip = try SimulatedWalk(activity, .hip, seed: seed)
        #expect(((stepsPerMinute < 60 ? 0.8 : 0.95)...1.03).contains(hip.countedShare(.hip)))
        let pocket = try SimulatedWalk(activity, .pocket, seed: seed)
        #expect((0.88...1.05).contains(pocket.countedShare(.pocket)))
        let wrist = try SimulatedWalk(activity, .wrist, seed: seed)
        #expect((0.9...1.05).contains(wrist.countedShare(.wrist)))
    }

    @Test(
        "A slow walk and a limp are counted where nobody told the place of the sensor",
        arguments: [SimulatedPlacement.hip, .pocket, .thigh], [60.0, 75])
    func unknownPlace(worn: SimulatedPlacement, stepsPerMinute: Double) throws {
        let activity = WalkActivity.walk(stepsPerMinute: stepsPerMinute)
        var (counted, limped) = (0.0, 0.0)
        let seeds = Sweep.seeds(7400..<7408, sample: 3)
        for seed in seeds {
            counted += try SimulatedWalk(activity, worn, seed: seed).countedShare(.unknown)
            let limp = Limp(shortStepShare: 0.4, weakFootStrength: 0.6)
            limped += try SimulatedWalk(activity, worn, limp: limp, seed: seed).countedShare(.unknown)
        }
        #expect((0.93...1.05).contains(counted / Double(seeds.count)))
        #expect(((stepsPerMinute > 60 ? 0.93 : 0.8)...1.05).contains(limped / Double(seeds.count)))
    }

    @Test("A limp is counted, with one step half as long again as the other", arguments: [75.0, 90, 110], seeds)
    func limp(stepsPerMinute: Double, seed: UInt64) throws {
        let limp = Limp(shortStepShare: 0.4, weakFootStrength: 0.6)
        let activity = WalkActivity.walk(stepsPerMinute: stepsPerMinute)
        let hip = try SimulatedWalk(activity, .hip, limp: limp, seed: seed)
        #expect((0.95...1.03).contains(hip.countedShare(.hip)))
        let pocket = try SimulatedWalk(activity, .pocket, limp: limp, seed: seed)
        #expect((0.95...1.03).contains(pocket.countedShare(.pocket)))
    }

    @Test("A limping walker's wrist is counted", arguments: [60.0, 75, 90, 110], seeds)
    func limpingWrist(stepsPerMinute: Double, seed: UInt64) throws {
        let limp = Limp(shortStepShare: 0.4, weakFootStrength: 0.6)
        let walk = try SimulatedWalk(.walk(stepsPerMinute: stepsPerMinute), .wrist, limp: limp, seed: seed)
        // The soft first steps of so slow a walk are lost.
        let least = stepsPerMinute > 60 ? 0.92 : 0.85
        #expect((least...1.03).contains(walk.countedShare(.wrist)))
    }

    @Test(
        "The first steps of a walk and the last are counted, though they are soft",
        arguments: [SimulatedPlacement.hip, .pocket, .thigh], [12.5, 50])
    func softSteps(placement: SimulatedPlacement, rateHz: Double) throws {
        let place: PlacementGroup = placement == .hip ? .hip : placement == .pocket ? .pocket : .thigh
        for seed in UInt64(7000)..<7002 {
            let walk = try SimulatedWalk(.walk(stepsPerMinute: 115), placement, rateHz: rateHz, seed: seed)
            let run = PipelineRun(walk.samples, MotionConfiguration(kind: .wearable, placement: place))
            // One a walk at most, either way; one too many in one walk makes up for none in another.
            #expect(abs(walk.steps - run.steps) <= 1, "seed \(seed): \(run.steps) of \(walk.steps)")
        }
    }

    @Test(
        "A slow walker's wrist is counted at any sample rate, however softly the feet land",
        arguments: [12.5, 25, 50], [60.0, 75, 90])
    func slowWrist(rateHz: Double, stepsPerMinute: Double) throws {
        for seed in Sweep.seeds(11...22) {
            let walk = try SimulatedWalk(.walk(stepsPerMinute: stepsPerMinute), .wrist, rateHz: rateHz, seed: seed)
            #expect((0.85...1.06).contains(walk.countedShare(.wrist)))
        }
    }

    @Test("A slow walk pedals nothing while it begins", arguments: [12.5, 25, 50])
    func slowBeginning(rateHz: Double) throws {
        for seed in Sweep.seeds(1...24) {
            let walk = try SimulatedWalk(.walk(stepsPerMinute: 75), .wrist, rateHz: rateHz, seed: seed)
            let run = PipelineRun(walk.samples, MotionConfiguration(kind: .wearable, placement: .wrist))
            #expect(run.revolutions < 2, "seed \(seed)")
        }
    }

    @Test("A slow pedaller's wrist makes no steps, though it moves as slowly as a walker's arm", arguments: [25.0, 30])
    func slowPedaller(rpm: Double) {
        var signal = SyntheticSignal(seed: 31)
        signal.pedalAtWrist(seconds: 60, rpm: rpm, gestureSeconds: 20...21)
        let run = PipelineRun(signal.samples, MotionConfiguration(kind: .wearable, placement: .wrist))
        #expect(run.steps == 0)
    }

    @Test("A runner's wrist is counted at any sample rate", arguments: [150.0, 180], [12.5, 15, 25, 50])
    func runner(stepsPerMinute: Double, rateHz: Double) throws {
        for seed in Sweep.seeds(1...20) {
            let walk = try SimulatedWalk(.run(stepsPerMinute: stepsPerMinute), .wrist, rateHz: rateHz, seed: seed)
            #expect((0.85...1.06).contains(walk.countedShare(.wrist)), "seed \(seed)")
        }
    }

    @Test("A run begins and ends where a body runs, not where an arm still swings", arguments: [150.0, 170], seeds)
    func runEdges(stepsPerMinute: Double, seed: UInt64) throws {
        let hip = try SimulatedWalk(.run(stepsPerMinute: stepsPerMinute), .hip, seed: seed)
        #expect((0.98...1.02).contains(hip.countedShare(.hip)))
        let wrist = try SimulatedWalk(.run(stepsPerMinute: stepsPerMinute), .wrist, seed: seed)
        #expect((0.99...1.018).contains(wrist.countedShare(.wrist)))
    }

    @Test("What an arm does before and after a walk hardly makes steps", arguments: 1...6 as ClosedRange<UInt64>)
    func gestures(seed: UInt64) {
        var signal = SyntheticSignal(seed: seed)
        signal.rest(seconds: 3)
        signal.fumble(seconds: 3, deviation: 1.5)
        signal.walk(seconds: 30, stepsPerSecond: 1.9, amplitude: 2)
        signal.fumble(seconds: 3, deviation: 1.5)
        let run = PipelineRun(signal.samples, MotionConfiguration(kind: .wearable, placement: .wrist))
        #expect((55...64).contains(run.steps))
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
        #expect((0.95...1.03).contains(run.countedShare(.wrist)))
    }

    @Test("The same walk weaker or stronger is counted the same", arguments: [Float(0.7), 0.9, 1.1, 1.3], [12.5, 50])
    func scaled(factor: Float, rateHz: Double) throws {
        let configuration = MotionConfiguration(kind: .wearable, placement: .wrist)
        for seed in Self.seeds {
            let walk = try SimulatedWalk(.walk(stepsPerMinute: 110), .wrist, rateHz: rateHz, seed: seed)
            let mean = walk.samples.reduce(SIMD3<Float>.zero) { $0 + $1.acceleration } / Float(walk.samples.count)
            let scaled = walk.samples.map { sample in
                var sample = sample
                sample.acceleration = mean + (sample.acceleration - mean) * factor
                return sample
            }
            let difference =
                PipelineRun(scaled, configuration).steps - PipelineRun(walk.samples, configuration).steps
            #expect(abs(difference) <= 2)
        }
    }

    @Test("Soft and uneven steps of a trembling hand are no ride on a road", arguments: [UInt64(1), 2, 3, 4])
    func tremblingHand(seed: UInt64) {
        var signal = SyntheticSignal(seed: seed)
        signal.rest(seconds: 3)
        signal.walk(seconds: 120, stepsPerSecond: 1.3, amplitude: 0.8, noise: 0.8, wander: 0.08)
        let run = PipelineRun(signal.samples, MotionConfiguration(kind: .wearable, placement: .hand))
        #expect((125...170).contains(run.steps))
    }

    @Test("What moves a bag before its bearer walks makes a soft first step at most", arguments: seeds)
    func fumbling(seed: UInt64) {
        var signal = SyntheticSignal(seed: seed)
        signal.rest(seconds: 3)
        signal.fumble(seconds: 4, deviation: 1.5)
        signal.walk(seconds: 30, stepsPerSecond: 1.9, amplitude: 2)
        signal.rest(seconds: 6)
        let run = PipelineRun(signal.samples, MotionConfiguration(kind: .wearable, placement: .bag))
        #expect(abs(run.steps - 57) <= 4)
    }
}
