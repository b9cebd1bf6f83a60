import Motion
import Seeded
@testable import Bodies
import Lab
import Testing
import trials

/// Acceleration with gravity and without it, in m/s² and in g.
@Suite("Gravity")
struct GravityTests {
    /// The time over which the mean acceleration is taken for gravity.
    private static let gravitySeconds = 2.0
    /// The time after which the accelerometer corrects what a gyroscope says of gravity.
    private static let fusionSeconds = 3.0
    private static let wrist = MotionConfiguration(kind: .wearable, placement: .wrist)

    /// The samples as a phone sends them that takes gravity away itself.
    private static func withoutGravity(_ samples: [MotionSample]) -> [MotionSample] {
        var last: MotionSample?
        var gravity = SIMD3<Float>.zero
        return samples.map { sample in
            let seconds = Double(sample.timeMicroseconds - (last?.timeMicroseconds ?? 0)) / 1e6
            gravity += (sample.acceleration - gravity) * Float(min(seconds / gravitySeconds, 1))
            last = sample
            var moved = sample
            moved.acceleration -= gravity
            return moved
        }
    }

    /// The samples as a phone sends them that knows by its gyroscope how gravity turns, and leaves that out as well.
    private static func withoutTurningGravity(_ samples: [MotionSample]) -> [MotionSample] {
        var last: MotionSample?
        var gravity = SIMD3<Float>.zero
        return samples.map { sample in
            let seconds = Float(sample.timeMicroseconds - (last?.timeMicroseconds ?? 0)) / 1e6
            let turned = sample.angularVelocity
            gravity +=
                last == nil
                ? sample.acceleration
                : seconds
                    * SIMD3(
                        gravity.y * turned.z - gravity.z * turned.y, gravity.z * turned.x - gravity.x * turned.z,
                        gravity.x * turned.y - gravity.y * turned.x)
            gravity += (sample.acceleration - gravity) * min(seconds / Float(fusionSeconds), 1)
            last = sample
            return MotionSample(
                timeMicroseconds: sample.timeMicroseconds, acceleration: sample.acceleration - gravity,
                sensors: .acceleration)
        }
    }

    /// Someone who walks, and where the sensor is worn.
    struct Worn: Sendable {
        var body: SimulatedPlacement
        var placement: PlacementGroup
        var stepsPerMinute: Double

        static let all = [
            Worn(body: .wrist, placement: .wrist, stepsPerMinute: 75),
            Worn(body: .hip, placement: .hip, stepsPerMinute: 75),
            Worn(body: .hip, placement: .bag, stepsPerMinute: 110),
            Worn(body: .pocket, placement: .pocket, stepsPerMinute: 110),
        ]
    }

    @Test("A walk is counted without gravity too", arguments: Worn.all)
    func walkWithoutGravity(worn: Worn) throws {
        var (counted, made) = (0, 0)
        for seed in Sweep.seeds(1...4) {
            let walk = try SimulatedWalk(.walk(stepsPerMinute: worn.stepsPerMinute), worn.body, seed: 400 + seed)
            let run = PipelineRun(
                Self.withoutGravity(walk.samples), MotionConfiguration(kind: .wearable, placement: worn.placement))
            #expect(run.diagnostics.isWithoutGravity)
            counted += run.steps
            made += walk.steps
        }
        #expect(abs(Double(counted) / Double(made) - 1) < 0.05, "\(counted) of \(made)")
    }

    @Test(
        "A walk of limbs that swing is counted where nothing of gravity is left",
        arguments: [
            Worn(body: .wrist, placement: .wrist, stepsPerMinute: 130),
            Worn(body: .pocket, placement: .pocket, stepsPerMinute: 75),
            Worn(body: .pocket, placement: .pocket, stepsPerMinute: 110),
            Worn(body: .thigh, placement: .thigh, stepsPerMinute: 90),
            Worn(body: .thigh, placement: .thigh, stepsPerMinute: 110),
        ])
    func swingingLimb(worn: Worn) throws {
        var (counted, made) = (0, 0)
        for seed in Sweep.seeds(1...5) {
            let script = [
                WalkSegment(.stand, seconds: 8), WalkSegment(.walk(stepsPerMinute: worn.stepsPerMinute), seconds: 1000),
            ]
            let walk = try SimulatedRide(
                .walker(WalkPlan(script: script), worn.body), seconds: 70, sensors: [.acceleration, .angularVelocity],
                seed: 420 + seed)
            counted +=
                PipelineRun(
                    Self.withoutTurningGravity(walk.samples),
                    MotionConfiguration(kind: .wearable, placement: worn.placement)
                ).steps
            made += walk.steps
        }
        #expect(abs(Double(counted) / Double(made) - 1) < 0.05, "\(counted) of \(made)")
    }

    @Test("What leans while it settles is not taken for gravity in g for long", arguments: [Float(0.7), 1])
    func leaningStart(leaning: Float) throws {
        let walk = try Self.leaningWalk(leaning)
        let run = PipelineRun(walk.samples, Self.wrist)
        #expect(run.diagnostics.isWithoutGravity && !run.diagnostics.isInStandardGravities)
        #expect(abs(Double(run.steps) / Double(walk.steps) - 1) < 0.15, "\(run.steps) of \(walk.steps)")
    }

    /// Someone who walks at 120 steps a minute after standing for a moment, in which not all gravity is taken away.
    private static func leaningWalk(_ leaning: Float) throws -> (samples: [MotionSample], steps: Int) {
        let plan = WalkPlan(
            script: [WalkSegment(.stand, seconds: 2.5), WalkSegment(.walk(stepsPerMinute: 120), seconds: 1000)])
        let walk = try SimulatedWalk(plan, .wrist, seed: 431)
        var samples = withoutGravity(walk.samples)
        let start = samples[0].timeMicroseconds
        for index in samples.indices where samples[index].timeMicroseconds < start + 2_200_000 {
            samples[index].acceleration.x += leaning
        }
        return (samples, walk.steps)
    }

    @Test("A device that says that gravity is taken away is believed at once, and no longer than its signal allows")
    func told() throws {
        let walk = try Self.leaningWalk(1)
        let run = PipelineRun(walk.samples, Self.wrist, saysWithoutGravity: true)
        #expect(run.diagnostics.isWithoutGravity)
        #expect(abs(Double(run.steps) / Double(walk.steps) - 1) < 0.05, "\(run.steps) of \(walk.steps)")

        let other = try SimulatedWalk(.walk(stepsPerMinute: 110), .wrist, seed: 432)
        let mended = PipelineRun(other.samples, Self.wrist, saysWithoutGravity: true)
        #expect(!mended.diagnostics.isWithoutGravity)
        #expect(abs(Double(mended.steps) / Double(other.steps) - 1) < 0.1, "\(mended.steps) of \(other.steps)")
    }

    @Test("A hand that turns a phone without gravity about makes no steps")
    func stand() throws {
        let plan = WalkPlan(script: [WalkSegment(.stand, seconds: 1000)], gesturesPerMinute: 12)
        let stand = try SimulatedWalk(plan, .wrist, seconds: 120, seed: 411)
        #expect(PipelineRun(Self.withoutGravity(stand.samples), Self.wrist).steps <= 6)
    }

    @Test("What the first moments made believe of the unit and of gravity is mended within seconds")
    func turbulentStart() {
        let rateHz = 50.0
        var signal = SyntheticSignal(rateHz: rateHz, seed: 412)
        signal.walk(seconds: 60, stepsPerSecond: 2)
        let startSamples = Int(2.2 * rateHz)
        for scale: Float in [1, 1 / 9.806_65] {
            var samples = signal.samples
            for index in samples.indices {
                // Thrown about, gravity points everywhere in the first two seconds.
                let isThrown = index < startSamples && index % 2 == 1
                samples[index].acceleration *= isThrown ? -scale : scale
            }
            let run = PipelineRun(samples, .pocket)
            #expect(!run.diagnostics.isWithoutGravity)
            #expect(run.diagnostics.isInStandardGravities == (scale < 1))
            #expect((90...122).contains(run.steps), "\(run.steps)")
        }
    }
}
