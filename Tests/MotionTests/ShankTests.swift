import Motion
import Seeded
@testable import Bodies
import Lab
import Testing
import trials

@Suite("Below the knee")
struct ShankTests {
    private static let ankle = MotionConfiguration(kind: .wearable, placement: .ankle)

    private static func walk(
        _ activity: WalkActivity, rateHz: Double = 50, sensors: SensorSet = .acceleration, limp: Limp = .none,
        rangeGravities: Double = 8, seed: UInt64
    ) throws -> SimulatedRide {
        var plan = WalkPlan(
            script: [
                WalkSegment(.stand, seconds: 5), WalkSegment(activity, seconds: 45), WalkSegment(.stand, seconds: 60),
            ],
            gesturesPerMinute: 0)
        plan.limp = limp
        return try SimulatedRide(
            .walker(plan, .ankle), seconds: 60, sensors: sensors, rateHz: rateHz, rangeGravities: rangeGravities,
            seed: seed)
    }

    @Test(
        "A shank that walks, runs or climbs makes two steps a stride, with a gyroscope and without",
        arguments: [
            WalkActivity.walk(stepsPerMinute: 60), .walk(stepsPerMinute: 90), .walk(stepsPerMinute: 110),
            .run(stepsPerMinute: 165), .climb(stepsPerMinute: 90, stairMetres: 0.17),
            .climb(stepsPerMinute: 100, stairMetres: -0.17),
        ], [SensorSet.acceleration, [.acceleration, .angularVelocity]])
    func walks(activity: WalkActivity, sensors: SensorSet) throws {
        for seed in Sweep.seeds(620..<623) {
            let walk = try Self.walk(activity, sensors: sensors, seed: seed)
            let run = PipelineRun(walk.samples, Self.ankle)
            // Without a gyroscope the first strides on stairs and the last are lost.
            #expect(abs(run.steps - walk.steps) <= (sensors == .acceleration ? 14 : 4))
            #expect(run.revolutions == 0)
        }
    }

    @Test("Who limps sets one foot down softly, and both are counted, at any sample rate", arguments: [12.5, 25, 50])
    func limps(rateHz: Double) throws {
        for seed in Sweep.seeds(630..<634) {
            let limp = Limp(shortStepShare: 0.4, weakFootStrength: 0.6)
            let walk = try Self.walk(.walk(stepsPerMinute: 80), rateHz: rateHz, limp: limp, seed: seed)
            let run = PipelineRun(walk.samples, Self.ankle)
            #expect(abs(run.steps - walk.steps) <= 6)
            #expect(run.revolutions == 0)
        }
    }

    @Test("Errands of a few steps are counted, where the placement is told and where nothing is")
    func errands() throws {
        for (configuration, mostPercent) in [(Self.ankle, 10), (MotionConfiguration(), 20)] {
            var (counted, made) = (0, 0)
            for seed in UInt64(680)..<683 {
                let walk = try SimulatedRide(
                    .walker(.errands, .ankle), seconds: 120, sensors: [.acceleration, .angularVelocity], seed: seed)
                counted += PipelineRun(walk.samples, configuration).steps
                made += walk.steps
            }
            #expect(100 * abs(counted - made) <= mostPercent * made)
        }
    }

    @Test("The springs of a seat turn no pedals", arguments: [SimulatedPlacement.thigh, .ankle])
    func seat(placement: SimulatedPlacement) throws {
        let told: PlacementGroup = placement == .thigh ? .thigh : .ankle
        for seed in Sweep.seeds(636..<639) {
            let drive = try SimulatedRide(.passenger(placement), seconds: 90, sensors: .acceleration, seed: seed)
            let run = PipelineRun(drive.samples, MotionConfiguration(kind: .wearable, placement: told))
            #expect(run.revolutions == 0)
        }
    }

    @Test("An accelerometer that saturates at 2 g counts walkers and runners", arguments: [25.0, 50])
    func saturates(rateHz: Double) throws {
        for activity in [WalkActivity.walk(stepsPerMinute: 115), .run(stepsPerMinute: 170)] {
            for seed in Sweep.seeds(640..<643) {
                let walk = try Self.walk(activity, rateHz: rateHz, rangeGravities: 2, seed: seed)
                let run = PipelineRun(walk.samples, Self.ankle)
                #expect(abs(run.steps - walk.steps) <= 5)
                #expect(run.revolutions == 0)
            }
        }
    }

    @Test("Slow turns of a machine that shakes more than they move a shank are no walk", arguments: [30.0, 45])
    func slowTurns(rpm: Double) throws {
        let plan = RidePlan(script: [RideSegment(.pedal(rpm: rpm), seconds: 1_000)], wanderRPM: 1.5)
        for seed in Sweep.seeds(100..<124) {
            let ride = try SimulatedRide(.wearingRider(plan, .ankle), seconds: 45, sensors: .acceleration, seed: seed)
            let run = PipelineRun(ride.samples, Self.ankle)
            #expect(run.steps <= 4)
            #expect(abs(run.revolutions - ride.revolutions) <= 4)
        }
    }

    @Test("Who has walked and now stands and swings the leg makes no slow steps")
    func gestures() throws {
        let plan = WalkPlan(
            script: [WalkSegment(.walk(stepsPerMinute: 55), seconds: 40), WalkSegment(.stand, seconds: 1_000)],
            gesturesPerMinute: 30)
        for seed in Sweep.seeds(650..<653) {
            let walk = try SimulatedRide(.walker(plan, .ankle), seconds: 100, sensors: .acceleration, seed: seed)
            let run = PipelineRun(walk.samples, Self.ankle)
            #expect(abs(run.steps - walk.steps) <= 6)
        }
    }

    @Test("A thigh that begins to walk is not taken for one that pedals", arguments: [90.0, 110, 130])
    func beginsToWalk(stepsPerMinute: Double) throws {
        let plan = WalkPlan(
            script: [
                WalkSegment(.stand, seconds: 5), WalkSegment(.walk(stepsPerMinute: stepsPerMinute), seconds: 1_000),
            ],
            gesturesPerMinute: 0)
        let configuration = MotionConfiguration(kind: .wearable, placement: .thigh)
        for seed in Sweep.seeds(660..<666) {
            let walk = try SimulatedRide(.walker(plan, .thigh), seconds: 40, sensors: .acceleration, seed: seed)
            let run = PipelineRun(walk.samples, configuration)
            #expect(abs(run.steps - walk.steps) <= 3)
            #expect(run.revolutions == 0)
        }
    }
}
