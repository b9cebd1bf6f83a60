import Motion
import Seeded
@testable import Bodies
import Lab
import Testing

/// Acceleration with gravity and without it, in m/s² and in g.
@Suite("Gravity")
struct GravityTests {
    /// The time over which the mean acceleration is taken for gravity.
    private static let gravitySeconds = 2.0
    /// The time after which the accelerometer corrects what a gyroscope says of gravity.
    private static let fusionSeconds = 3.0

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

    @Test(
        "A walk is counted without gravity too",
        arguments: [
            (75.0, SimulatedPlacement.wrist), (75, .hip), (110, .hip), (110, .pocket),
        ])
    func walkWithoutGravity(stepsPerMinute: Double, place: SimulatedPlacement) throws {
        var (counted, made) = (0, 0)
        for seed in Sweep.seeds(401..<405) {
            let walk = try SimulatedSignal(.walk(stepsPerMinute), place, seed: seed)
            let run = PipelineRun(Self.withoutGravity(walk.samples), .worn(place))
            #expect(run.diagnostics.isWithoutGravity)
            (counted, made) = (counted + run.steps, made + walk.steps)
        }
        #expect(abs(Double(counted) / Double(made) - 1) < 0.05, "\(counted) of \(made)")
    }

    @Test(
        "A walk of limbs that swing is counted where nothing of gravity is left",
        arguments: [
            (130.0, SimulatedPlacement.wrist), (75, .pocket), (110, .pocket), (90, .thigh), (110, .thigh),
        ])
    func swingingLimb(stepsPerMinute: Double, place: SimulatedPlacement) throws {
        var (counted, made) = (0, 0)
        for seed in Sweep.seeds(421..<426) {
            let walk = try SimulatedSignal(
                .walk(stepsPerMinute), place, sensors: [.acceleration, .angularVelocity], seed: seed)
            let run = PipelineRun(Self.withoutTurningGravity(walk.samples), .worn(place))
            (counted, made) = (counted + run.steps, made + walk.steps)
        }
        #expect(abs(Double(counted) / Double(made) - 1) < 0.05, "\(counted) of \(made)")
    }

    @Test("What leans while it settles is not taken for gravity in g for long", arguments: [Float(0.7), 1])
    func leaningStart(leaning: Float) throws {
        let walk = try Self.leaningWalk(leaning)
        let run = PipelineRun(walk.samples, .wrist)
        #expect(run.diagnostics.isWithoutGravity && !run.diagnostics.isInStandardGravities)
        #expect(abs(Double(run.steps) / Double(walk.steps) - 1) < 0.15, "\(run.steps) of \(walk.steps)")
    }

    /// Someone who walks at 120 steps a minute after standing for a moment, in which not all gravity is taken away.
    private static func leaningWalk(_ leaning: Float) throws -> (samples: [MotionSample], steps: Int) {
        let plan = WalkPlan(
            script: [WalkSegment(.stand, seconds: 2.5), WalkSegment(.walk(stepsPerMinute: 120), seconds: 1000)])
        let walk = try SimulatedSignal(.walker(plan, .wrist), seconds: 80, named: "walker-1", seed: 431)
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
        let run = PipelineRun(walk.samples, .wrist, saysWithoutGravity: true)
        #expect(run.diagnostics.isWithoutGravity)
        #expect(abs(Double(run.steps) / Double(walk.steps) - 1) < 0.05, "\(run.steps) of \(walk.steps)")

        let other = try SimulatedSignal(.walk(110), .wrist, seed: 432)
        let mended = PipelineRun(other.samples, .wrist, saysWithoutGravity: true)
        #expect(!mended.diagnostics.isWithoutGravity)
        #expect(abs(Double(mended.steps) / Double(other.steps) - 1) < 0.1, "\(mended.steps) of \(other.steps)")
    }

    @Test("A hand that turns a phone without gravity about makes no steps")
    func stand() throws {
        let plan = WalkPlan(script: [WalkSegment(.stand, seconds: 1000)], gesturesPerMinute: 12)
        let stand = try SimulatedSignal(.walker(plan, .wrist), seconds: 120, named: "walker-1", seed: 411)
        #expect(PipelineRun(Self.withoutGravity(stand.samples), .wrist).steps <= 6)
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
