import Motion
import Seeded
@testable import Bodies
import Lab
import Testing

/// Hands that hold on to something while their owner walks, so that no arm swings.
@Suite("Held handles")
struct HeldHandleTests {
    private static func total(
        _ handle: Handle, _ activity: WalkActivity, rateHz: Double
    ) throws -> (steps: Int, revolutions: Int, truth: Int) {
        var total = (steps: 0, revolutions: 0, truth: 0)
        var plan = WalkPlan(
            script: [
                WalkSegment(.stand, seconds: 8), WalkSegment(activity, seconds: 60), WalkSegment(.stand, seconds: 1000),
            ], gesturesPerMinute: 0)
        plan.handle = handle
        for seed in Sweep.seeds(7400..<7408, sample: 2) {
            let walk = try SimulatedWalk(plan, .wrist, rateHz: rateHz, seed: seed)
            let run = PipelineRun(walk.samples, MotionConfiguration(kind: .wearable, placement: .wrist))
            total.steps += run.steps
            total.revolutions += run.revolutions
            total.truth += walk.steps
        }
        return total
    }

    @Test(
        "Steps behind a pram and at a treadmill's rail are counted, and are no turns of a crank",
        arguments: [(Handle.cart, 110.0), (.cart, 130), (.rail, 90), (.rail, 110)], [12.5, 25, 50])
    func walk(_ held: (handle: Handle, stepsPerMinute: Double), rateHz: Double) throws {
        let total = try Self.total(held.handle, .walk(stepsPerMinute: held.stepsPerMinute), rateHz: rateHz)
        #expect((0.95...1.05).contains(Double(total.steps) / Double(total.truth)))
        #expect(total.revolutions * 20 < total.truth)
    }

    @Test("Who runs behind a pram is counted")
    func run() throws {
        let total = try Self.total(.cart, .run(stepsPerMinute: 150), rateHz: 50)
        #expect((0.9...1.05).contains(Double(total.steps) / Double(total.truth)))
    }
}
