import Motion
import Simulator
import Testing
import Wire

/// What a hand does over and over is no walk, however even it is.
@Suite("Work with a hand", .timeLimit(.minutes(5)))
struct HandWorkTests {
    private static let seconds = 120.0
    private static let seeds: ClosedRange<UInt64> = 1...6

    @Test("Sawing, scrubbing, hammering and the like make few steps", arguments: [12.5, 50])
    func work(rateHz: Double) throws {
        var steps = 0
        for work in HandWork.allCases {
            for seed in Self.seeds {
                let samples = try samples(work, rateHz: rateHz, seed: seed)
                steps += PipelineRun(samples, MotionConfiguration(kind: .wearable, placement: .wrist)).steps
            }
        }
        let minutes = Double(HandWork.allCases.count) * Double(Self.seeds.upperBound) * Self.seconds / 60
        #expect(Double(steps) / minutes < 8)
    }

    private func samples(_ work: HandWork, rateHz: Double, seed: UInt64) throws -> [MotionSample] {
        var device = SimulatedDevice(
            id: try DeviceID("worker-1"), actor: .worker(work),
            sampling: SimulatedSampling(rateHz: rateHz, sensors: .acceleration),
            startMicroseconds: SyntheticSignal.startMicroseconds, seed: seed)
        var frame = Frame()
        var samples: [MotionSample] = []
        while Double(samples.count) < Self.seconds * rateHz {
            device.makeFrame(into: &frame)
            samples.append(accelerationOf: frame, rateHz: rateHz)
        }
        return samples
    }
}
