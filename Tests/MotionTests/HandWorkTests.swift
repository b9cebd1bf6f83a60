import Motion
import Simulator
import Testing
import Wire

/// What a hand does over and over is no walk, however even it is.
@Suite("Work with a hand")
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

    @Test("A stroke to and fro is not two steps, as |a| on the way back is the opposite", arguments: [25.0, 50])
    func strokes(rateHz: Double) throws {
        var steps = 0
        for seed in UInt64(1)...40 {
            let samples = try samples(.saw, rateHz: rateHz, seed: seed)
            steps += PipelineRun(samples, MotionConfiguration(kind: .wearable, placement: .wrist)).steps
        }
        #expect(Double(steps) / (40 * Self.seconds / 60) < (rateHz < 50 ? 3 : 10))
    }

    @Test("A bottle that is shaken, however hard, and hands that clap or brush make no steps", arguments: [25.0, 50])
    func shaking(rateHz: Double) throws {
        for work in [HandWork.shake, .clap, .brush, .curl] {
            var steps = 0
            for seed in UInt64(7_090)..<7_100 {
                let samples = try samples(work, rateHz: rateHz, seed: seed)
                steps += PipelineRun(samples, MotionConfiguration(kind: .wearable, placement: .wrist)).steps
            }
            #expect(Double(steps) / (10 * Self.seconds / 60) < 2, "\(work)")
        }
    }

    @Test("A hand that rows, lifts or shakes moves farther or quicker than one on a handlebar", arguments: [12.5, 50])
    func noHandlebar(rateHz: Double) throws {
        for work in [HandWork.row, .curl, .shake, .hammer, .chop] {
            var revolutions = 0
            for seed in Self.seeds {
                let samples = try samples(work, rateHz: rateHz, seed: seed)
                let run = PipelineRun(samples, MotionConfiguration(kind: .wearable, placement: .wrist))
                revolutions += run.revolutions
            }
            let minutes = Double(Self.seeds.upperBound) * Self.seconds / 60
            #expect(Double(revolutions) / minutes < 10, "\(work)")
        }
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
