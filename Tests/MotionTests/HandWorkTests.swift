import Motion
import Seeded
@testable import Bodies
import Lab
import Testing
import trials
import Wire

/// What a hand does over and over is no walk, however even it is.
@Suite("Work with a hand")
struct HandWorkTests {
    private static let seconds = 120.0
    private static let seeds: ClosedRange<UInt64> = Sweep.seeds(1...6, sample: 2)

    @Test("Work with a hand makes fewer steps than a fifth of a walk", arguments: [12.5, 50])
    func work(rateHz: Double) throws {
        var steps = 0
        for work in HandWork.allCases {
            for run in try runs(work, rateHz: rateHz, seeds: Self.seeds) { steps += run.steps }
        }
        let minutes = Double(HandWork.allCases.count) * Self.minutes(Self.seeds)
        // A walk of 110 steps a minute.
        #expect(Double(steps) / minutes < 22)
    }

    @Test("A bottle that is shaken, however hard, and hands that clap or brush make no steps", arguments: [25.0, 50])
    func shaking(rateHz: Double) throws {
        let seeds = Sweep.seeds(7_090...7_099, sample: 3)
        for work in [HandWork.shake, .clap, .brush, .curl] {
            let steps = try runs(work, rateHz: rateHz, seeds: seeds).reduce(0) { $0 + $1.steps }
            #expect(Double(steps) / Self.minutes(seeds) < 2, "\(work)")
        }
    }

    @Test("A hand that rows, lifts or shakes moves farther or quicker than one on a handlebar", arguments: [12.5, 50])
    func noHandlebar(rateHz: Double) throws {
        for work in [HandWork.row, .curl, .shake, .hammer, .chop] {
            let revolutions = try runs(work, rateHz: rateHz, seeds: Self.seeds).reduce(0) { $0 + $1.revolutions }
            #expect(Double(revolutions) / Self.minutes(Self.seeds) < 10, "\(work)")
        }
    }

    /// Someone who works for two minutes with a watch on that wrist, once for each seed.
    private func runs(_ work: HandWork, rateHz: Double, seeds: ClosedRange<UInt64>) throws -> [PipelineRun] {
        try seeds.map { seed in
            PipelineRun(
                try samples(work, rateHz: rateHz, seed: seed), MotionConfiguration(kind: .wearable, placement: .wrist))
        }
    }

    private static func minutes(_ seeds: ClosedRange<UInt64>) -> Double { Double(seeds.count) * seconds / 60 }

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
