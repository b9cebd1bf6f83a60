import Motion
@testable import Bodies
import Lab
import Testing

@Suite("Sensors on legs of which nobody told")
struct UndescribedLegTests {
    private static let configurations = [
        MotionConfiguration(), MotionConfiguration(kind: .wearable, placement: .unknown),
    ]

    @Test("Walks and runs are mostly counted below the knee", arguments: configurations, [75.0, 90, 110, 170])
    func walk(configuration: MotionConfiguration, stepsPerMinute: Double) throws {
        let activity: WalkActivity =
            stepsPerMinute > 140 ? .run(stepsPerMinute: stepsPerMinute) : .walk(stepsPerMinute: stepsPerMinute)
        var (steps, truth, revolutions) = (0, 0, 0)
        for seed in UInt64(7700)..<7704 {
            let walk = try SimulatedWalk(activity, .ankle, seed: seed)
            let run = PipelineRun(walk.samples, configuration)
            (steps, truth, revolutions) = (steps + run.steps, truth + walk.steps, revolutions + run.revolutions)
        }
        #expect((0.85...1.05).contains(Double(steps) / Double(truth)))
        #expect(revolutions * 50 < truth)
    }

    @Test("One that is taken off and worn elsewhere is counted there", arguments: [SimulatedPlacement.wrist, .hip])
    func moved(placement: SimulatedPlacement) throws {
        for seed in UInt64(7700)..<7704 {
            let ankle = try SimulatedWalk(.walk(stepsPerMinute: 100), .ankle, seed: seed)
            let other = try SimulatedWalk(.walk(stepsPerMinute: 110), placement, seed: seed)
            let samples = ankle.samples + other.samples.accelerations(after: 80_000_000)
            let run = PipelineRun(samples, MotionConfiguration())
            let truth = ankle.steps + other.steps
            #expect(abs(run.steps - truth) <= truth / 12, "\(seed): \(run.steps) of \(truth)")
        }
    }
}
