import Motion
import Simulator
import Wire

/// Someone who stands, walks for a minute and stands: what an accelerometer on the body says, and the steps.
struct SimulatedWalk {
    private(set) var samples: [MotionSample] = []
    private(set) var steps = 0

    private static let periodMicroseconds: Int64 = 20_000
    private static let seconds = 80

    init(_ activity: WalkActivity, _ placement: SimulatedPlacement, limp: Limp = .none, seed: UInt64) throws {
        let script = [
            WalkSegment(.stand, seconds: 8), WalkSegment(activity, seconds: 60), WalkSegment(.stand, seconds: 1000),
        ]
        var plan = WalkPlan(script: script, stepVariability: limp == .none ? 0.02 : 0.04, gesturesPerMinute: 0)
        plan.limp = limp
        var device = SimulatedDevice(
            id: try DeviceID("walker-1"), actor: .walker(plan, placement),
            sampling: SimulatedSampling(sensors: .acceleration),
            startMicroseconds: SyntheticSignal.startMicroseconds, seed: seed)
        var frame = Frame()
        for _ in 0..<Self.seconds {
            device.makeFrame(into: &frame)
            append(frame)
        }
        steps = device.truth.steps
    }

    private mutating func append(_ frame: Frame) {
        let values = frame.values
        for index in 0..<frame.sampleCount {
            samples.append(
                MotionSample(
                    timeMicroseconds: SyntheticSignal.startMicroseconds + Int64(samples.count)
                        * Self.periodMicroseconds,
                    acceleration: SIMD3(values[3 * index], values[3 * index + 1], values[3 * index + 2]),
                    sensors: .acceleration))
        }
    }

    /// What share of the steps is counted.
    func countedShare(_ placement: Placement) -> Double {
        let run = PipelineRun(samples, MotionConfiguration(kind: .wearable, placement: placement))
        return Double(run.steps) / Double(max(steps, 1))
    }
}
