import Motion
import Simulator
import Wire

/// Someone who stands, walks for a minute and stands: what an accelerometer on the body says, and the steps.
struct SimulatedWalk {
    private(set) var samples: [MotionSample] = []
    private(set) var steps = 0

    private static let seconds = 80
    private let rateHz: Double

    init(
        _ activity: WalkActivity, _ placement: SimulatedPlacement, limp: Limp = .none, rateHz: Double = 50,
        seed: UInt64
    ) throws {
        self.rateHz = rateHz
        let script = [
            WalkSegment(.stand, seconds: 8), WalkSegment(activity, seconds: 60), WalkSegment(.stand, seconds: 1000),
        ]
        var plan = WalkPlan(script: script, stepVariability: limp == .none ? 0.02 : 0.04, gesturesPerMinute: 0)
        plan.limp = limp
        var device = SimulatedDevice(
            id: try DeviceID("walker-1"), actor: .walker(plan, placement),
            sampling: SimulatedSampling(rateHz: rateHz, sensors: .acceleration),
            startMicroseconds: SyntheticSignal.startMicroseconds, seed: seed)
        var frame = Frame()
        while Double(samples.count) < Double(Self.seconds) * rateHz {
            device.makeFrame(into: &frame)
            append(frame)
        }
        steps = device.truth.steps
    }

    private mutating func append(_ frame: Frame) {
        let values = frame.values
        for index in 0..<frame.sampleCount {
            let time = Int64(Double(samples.count) / rateHz * 1e6)
            samples.append(
                MotionSample(
                    timeMicroseconds: SyntheticSignal.startMicroseconds + time,
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
