import trials
import Motion
@testable import Bodies
import Lab
import Wire

/// Someone who stands, walks for a minute and stands: what an accelerometer on the body says, and the steps.
struct SimulatedWalk {
    private(set) var samples: [MotionSample] = []
    private(set) var steps = 0

    private static let seconds = 80

    /// Someone who walks as planned for so many seconds.
    init(
        _ plan: WalkPlan, _ placement: SimulatedPlacement, seconds: Int = Self.seconds, rateHz: Double = 50,
        seed: UInt64
    ) throws {
        var device = SimulatedDevice(
            id: try DeviceID("walker-1"), actor: .walker(plan, placement),
            sampling: SimulatedSampling(rateHz: rateHz, sensors: .acceleration),
            startMicroseconds: SyntheticSignal.startMicroseconds, seed: seed)
        var frame = Frame()
        while Double(samples.count) < Double(seconds) * rateHz {
            device.makeFrame(into: &frame)
            samples.append(accelerationOf: frame, rateHz: rateHz)
        }
        steps = device.truth.steps
    }

    init(
        _ activity: WalkActivity, _ placement: SimulatedPlacement, limp: Limp = .none, rateHz: Double = 50,
        seed: UInt64
    ) throws {
        let script = [
            WalkSegment(.stand, seconds: 8), WalkSegment(activity, seconds: 60), WalkSegment(.stand, seconds: 1000),
        ]
        var plan = WalkPlan(script: script, stepVariability: limp == .none ? 0.02 : 0.04, gesturesPerMinute: 0)
        plan.limp = limp
        try self.init(plan, placement, rateHz: rateHz, seed: seed)
    }

    /// What share of the steps is counted.
    func countedShare(_ placement: PlacementGroup) -> Double {
        let run = PipelineRun(samples, MotionConfiguration(kind: .wearable, placement: placement))
        return Double(run.steps) / Double(max(steps, 1))
    }
}

extension WalkPlan {
    /// Bouts of some seconds, with stands in which the arms move.
    static let errands = WalkPlan(
        walkingRange: 75...120, boutSeconds: 3...10, standSeconds: 1.5...6, runProbability: 0, stepVariability: 0.05,
        cadenceWander: 0.05)
}
