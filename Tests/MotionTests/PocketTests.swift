import Motion
import Seeded
@testable import Bodies
import Lab
import Testing
import trials

/// What an accelerometer alone tells in a pocket, on a thigh and at the hip, however slowly it is sampled.
@Suite("Pockets and hips")
struct PocketTests {
    private static let limp = Limp(shortStepShare: 0.4, weakFootStrength: 0.6)

    @Test(
        "Slow steps in a pocket and on a thigh are counted however few notes of the feet a sample rate leaves",
        arguments: [12.5, 15, 25, 50], [SimulatedPlacement.pocket, .thigh])
    func slowSteps(rateHz: Double, placement: SimulatedPlacement) throws {
        for limp in [Limp.none, Self.limp] {
            var shares: [Double] = []
            for seed in Sweep.seeds(700..<708, sample: 2) {
                let activity = WalkActivity.walk(stepsPerMinute: 75)
                let walk = try SimulatedWalk(activity, placement, limp: limp, rateHz: rateHz, seed: seed)
                shares.append(walk.countedShare(placement == .thigh ? .thigh : .pocket))
            }
            #expect((0.95...1.03).contains(shares.reduce(0, +) / Double(shares.count)))
            #expect(shares.allSatisfy { $0 > 0.6 })
        }
    }

    @Test("Who limps slowly pedals nothing with a sensor at the hip", arguments: [12.5, 25, 50], [60.0, 70, 80])
    func limpingHip(rateHz: Double, stepsPerMinute: Double) throws {
        var shares: [Double] = []
        for seed in Sweep.seeds(700..<708, sample: 2) {
            let activity = WalkActivity.walk(stepsPerMinute: stepsPerMinute)
            let walk = try SimulatedWalk(activity, .hip, limp: Self.limp, rateHz: rateHz, seed: seed)
            shares.append(walk.countedShare(.hip))
        }
        #expect((0.94...1.03).contains(shares.reduce(0, +) / Double(shares.count)))
    }

    @Test(
        "A run at twice the pace of the walk before it, and a walk at half of a run's, keep their own pace",
        arguments: [12.5, 25, 50], [SimulatedPlacement.pocket, .thigh, .hip])
    func halfAndTwice(rateHz: Double, placement: SimulatedPlacement) throws {
        let script = [
            WalkSegment(.stand, seconds: 5), WalkSegment(.walk(stepsPerMinute: 82), seconds: 30),
            WalkSegment(.stand, seconds: 5), WalkSegment(.run(stepsPerMinute: 164), seconds: 30),
            WalkSegment(.stand, seconds: 5), WalkSegment(.walk(stepsPerMinute: 82), seconds: 30),
            WalkSegment(.stand, seconds: 1_000),
        ]
        let plan = WalkPlan(script: script, gesturesPerMinute: 0)
        let told: PlacementGroup = placement == .pocket ? .pocket : placement == .thigh ? .thigh : .hip
        var (wrong, steps) = (0, 0)
        for seed in Sweep.seeds(700..<706, sample: 2) {
            let walk = try SimulatedRide(
                .walker(plan, placement), seconds: 115, sensors: .acceleration, rateHz: rateHz, seed: seed)
            let run = PipelineRun(walk.samples, MotionConfiguration(kind: .wearable, placement: told))
            (wrong, steps) = (wrong + abs(run.steps - walk.steps), steps + walk.steps)
            #expect(run.revolutions < 10, "seed \(seed)")
        }
        #expect(wrong * 100 <= 6 * steps)
    }

    @Test(
        "A runner's thigh is not on a pedal, at any sample rate", arguments: [15.0, 25, 50],
        [(150.0, SimulatedPlacement.pocket), (215, .pocket), (150, .thigh), (200, .thigh), (215, .thigh)])
    func runs(rateHz: Double, stepsPerMinuteAtPlace: (Double, SimulatedPlacement)) throws {
        let (stepsPerMinute, placement) = stepsPerMinuteAtPlace
        for seed in Sweep.seeds(700..<706, sample: 2) {
            let walk = try SimulatedWalk(.run(stepsPerMinute: stepsPerMinute), placement, rateHz: rateHz, seed: seed)
            let share = walk.countedShare(placement == .thigh ? .thigh : .pocket)
            #expect((0.8...1.05).contains(share), "seed \(seed)")
        }
    }

    @Test("A runner's jacket pocket is not on a pedal", arguments: [12.5, 50], [140.0, 160, 180])
    func jacket(rateHz: Double, stepsPerMinute: Double) throws {
        for seed in Sweep.seeds(700..<706, sample: 2) {
            let walk = try SimulatedWalk(.run(stepsPerMinute: stepsPerMinute), .hip, rateHz: rateHz, seed: seed)
            #expect((0.95...1.05).contains(walk.countedShare(.pocket)), "seed \(seed)")
        }
    }

    @Test(
        "Squats make few steps and no revolutions, though they come as evenly as slow steps",
        arguments: [21.0, 30, 42], [PlacementGroup.carried])
    func squats(perMinute: Double, placement: PlacementGroup) {
        var (steps, revolutions) = (0, 0)
        for seed in UInt64(1)...8 {
            var signal = SyntheticSignal(seed: seed)
            signal.rest(seconds: 5)
            signal.squat(seconds: 60, perMinute: perMinute, metres: 0.35)
            signal.rest(seconds: 5)
            let run = PipelineRun(signal.samples, MotionConfiguration(kind: .wearable, placement: placement))
            (steps, revolutions) = (steps + run.steps, revolutions + run.revolutions)
        }
        #expect(steps < 8 * 10, "steps")
        #expect(revolutions < 8 * 5, "revolutions")
    }

    @Test("A gyroscope that says nothing but 0 hides no steps")
    func brokenGyroscope() throws {
        let walk = try SimulatedWalk(.walk(stepsPerMinute: 110), .pocket, seed: 3)
        var samples = walk.samples
        for index in samples.indices { samples[index].sensors.insert(.angularVelocity) }
        let without = PipelineRun(walk.samples, .pocket)
        #expect(PipelineRun(samples, .pocket).steps == without.steps && without.steps > 100)
    }
}
