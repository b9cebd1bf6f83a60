import Motion
import Seeded
@testable import Bodies
import Lab
import Testing
import trials

@Suite("Legs")
struct LegTests {
    private static let ankle = MotionConfiguration(kind: .wearable, placement: .ankle)

    @Test("After a strong gesture a wrist that pedals on is soon seen to pedal on")
    func gesture() {
        var signal = SyntheticSignal(rateHz: 50, seed: 33)
        signal.pedalAtWrist(seconds: 60, rpm: 58, gestureSeconds: 30...33)
        let run = PipelineRun(signal.samples, MotionConfiguration(kind: .wearable, placement: .wrist))
        let after = run.seconds.filter { report in
            Double(report.timeMicroseconds - SyntheticSignal.startMicroseconds) / 1e6 > 44
        }
        #expect(after.count > 10)
        #expect(after.allSatisfy { abs($0.cadenceRPM - 58) < 5 })
        #expect(run.steps == 0)
    }

    @Test(
        "A leg that pedals makes revolutions and no steps, however the machine shakes it",
        arguments: [SimulatedPlacement.thigh, .ankle], [26.0, 50, 75, 110])
    func pedalsShaken(placement: SimulatedPlacement, rpm: Double) throws {
        let plan = RidePlan(
            script: [RideSegment(.pedal(rpm: rpm), seconds: 120), RideSegment(.rest, seconds: 1_000)], wanderRPM: 1)
        let configuration = MotionConfiguration(kind: .wearable, placement: placement == .thigh ? .thigh : .ankle)
        for seed in Sweep.seeds(300..<304) {
            let ride = try SimulatedRide(
                .wearingRider(plan, placement), seconds: 110, sensors: [.acceleration, .angularVelocity], seed: seed)
            let run = PipelineRun(ride.samples, configuration)
            #expect(run.steps == 0)
            let settled = run.seconds.dropFirst(40).prefix(60)
            #expect(settled.filter { abs(Double($0.cadenceRPM) - rpm) < 5 }.count * 10 >= settled.count * 8)
        }
    }

    @Test(
        "None of two dozen riders is taken for a walker, however the saddle shakes a leg",
        arguments: [SimulatedPlacement.thigh, .ankle], [60.0, 75, 90, 110, 130])
    func isNoWalk(placement: SimulatedPlacement, rpm: Double) throws {
        let plan = RidePlan(
            script: [RideSegment(.rest, seconds: 10), RideSegment(.pedal(rpm: rpm), seconds: 1_000)], wanderRPM: 1.5)
        let configuration = MotionConfiguration(kind: .wearable, placement: placement == .thigh ? .thigh : .ankle)
        for seed in Sweep.seeds(100..<124) {
            let ride = try SimulatedRide(
                .wearingRider(plan, placement), seconds: 60, sensors: [.acceleration, .angularVelocity], seed: seed)
            let run = PipelineRun(ride.samples, configuration)
            #expect(run.steps <= 4)
            #expect(abs(run.revolutions - ride.revolutions) <= 5)
        }
    }

    @Test("A gyroscope alone on a thigh tells a ride from a walk", arguments: [45.0, 60, 75, 90, 105])
    func turningAlone(perMinute: Double) throws {
        let configuration = MotionConfiguration(kind: .wearable, placement: .thigh)
        let ride = RidePlan(script: [RideSegment(.pedal(rpm: perMinute), seconds: 1_000)], wanderRPM: 1.5)
        let walk = WalkPlan(
            script: [WalkSegment(.walk(stepsPerMinute: perMinute), seconds: 1_000)], gesturesPerMinute: 0)
        for seed in Sweep.seeds(720..<723) {
            let rider = try SimulatedRide(
                .wearingRider(ride, .thigh), seconds: 60, sensors: .angularVelocity, seed: seed)
            let riding = PipelineRun(rider.samples, configuration)
            #expect(riding.steps <= 15)
            #expect(abs(riding.revolutions - rider.revolutions) <= rider.revolutions / 5)
            guard perMinute >= 60 else { continue }
            let walker = try SimulatedRide(.walker(walk, .thigh), seconds: 60, sensors: .angularVelocity, seed: seed)
            let walking = PipelineRun(walker.samples, configuration)
            #expect(walking.steps > walker.steps / 2)
        }
    }

    @Test(
        "A quick ride with a phone in the pocket is no run, at any sample rate",
        arguments: [90.0, 105], [12.5, 25, 50])
    func quickRide(rpm: Double, rateHz: Double) throws {
        let plan = RidePlan(
            script: [RideSegment(.rest, seconds: 10), RideSegment(.pedal(rpm: rpm), seconds: 1_000)], wanderRPM: 1.5)
        var (steps, revolutions, turned) = (0, 0, 0)
        for seed in UInt64(430)..<442 {
            let ride = try SimulatedRide(
                .wearingRider(plan, .pocket), seconds: 60, sensors: [.acceleration, .angularVelocity],
                rateHz: rateHz, seed: seed)
            let run = PipelineRun(ride.samples, .pocket)
            (steps, revolutions, turned) = (
                steps + run.steps, revolutions + run.revolutions, turned + ride.revolutions
            )
        }
        #expect(steps <= 40)
        #expect(abs(revolutions - turned) * 100 <= 4 * turned)
    }

    @Test(
        "Every runner of a dozen is counted on the thigh and in the pocket, though the thigh swings as a rider's",
        arguments: [PlacementGroup.thigh, .pocket],
        [(150.0, 12.5), (170, 12.5), (150, 50), (170, 50), (190, 50), (215, 50)])
    func runs(placement: PlacementGroup, stepsPerMinuteAtHz: (Double, Double)) throws {
        let (stepsPerMinute, rateHz) = stepsPerMinuteAtHz
        let plan = WalkPlan(
            script: [
                WalkSegment(.stand, seconds: 5), WalkSegment(.run(stepsPerMinute: stepsPerMinute), seconds: 1_000),
            ],
            gesturesPerMinute: 0)
        for seed in Sweep.seeds(530..<542) {
            let walk = try SimulatedRide(
                .walker(plan, placement == .thigh ? .thigh : .pocket), seconds: 60,
                sensors: [.acceleration, .angularVelocity], rateHz: rateHz, seed: seed)
            let run = PipelineRun(walk.samples, MotionConfiguration(kind: .wearable, placement: placement))
            #expect(abs(run.steps - walk.steps) * 100 <= 6 * walk.steps)
            #expect(run.revolutions == 0)
        }
    }

    @Test("Of a leg at rest nothing is told once the pedalling has ended", arguments: [26.0, 40, 60])
    func restsAfterwards(rpm: Double) throws {
        let plan = RidePlan(
            script: [RideSegment(.pedal(rpm: rpm), seconds: 90), RideSegment(.rest, seconds: 1_000)], wanderRPM: 1)
        for seed in Sweep.seeds(300..<304) {
            let ride = try SimulatedRide(
                .wearingRider(plan, .thigh), seconds: 150, sensors: [.acceleration, .angularVelocity], seed: seed)
            let run = PipelineRun(ride.samples, MotionConfiguration(kind: .wearable, placement: .thigh))
            #expect(run.seconds.dropFirst(97).allSatisfy { $0.cadenceRPM == 0 })
            #expect(abs(run.revolutions - ride.revolutions) <= 3)
        }
    }

    @Test(
        "A phone in a rider's pocket makes revolutions, and a few steps at most before it is known where it is",
        arguments: [50.0, 65], [SensorSet.acceleration, [.acceleration, .angularVelocity]])
    func pocket(rpm: Double, sensors: SensorSet) throws {
        let plan = RidePlan(script: [RideSegment(.pedal(rpm: rpm), seconds: 1_000)], wanderRPM: 1.5)
        var (steps, revolutions, turned) = (0, 0, 0)
        for seed in UInt64(410)..<413 {
            let ride = try SimulatedRide(.wearingRider(plan, .pocket), seconds: 240, sensors: sensors, seed: seed)
            let run = PipelineRun(ride.samples, .pocket)
            (steps, revolutions, turned) = (
                steps + run.steps, revolutions + run.revolutions, turned + ride.revolutions
            )
        }
        // An accelerometer alone is sure of a quick pedal later than a gyroscope.
        #expect(steps <= 3 * (sensors == .acceleration ? 16 : 4))
        #expect(abs(revolutions - turned) * 100 <= 5 * turned)
    }

    @Test(
        "A walker's and a runner's thigh makes steps, though it swings nearly as a pure line",
        arguments: [
            WalkActivity.walk(stepsPerMinute: 80), .walk(stepsPerMinute: 105), .walk(stepsPerMinute: 130),
            .run(stepsPerMinute: 165), .run(stepsPerMinute: 180),
        ])
    func thigh(activity: WalkActivity) throws {
        let plan = WalkPlan(script: [WalkSegment(activity, seconds: 1_000)], gesturesPerMinute: 0)
        for seed in Sweep.seeds(510..<513) {
            let walk = try SimulatedRide(
                .walker(plan, .thigh), seconds: 60, sensors: [.acceleration, .angularVelocity], seed: seed)
            let run = PipelineRun(walk.samples, MotionConfiguration(kind: .wearable, placement: .thigh))
            #expect(abs(run.steps - walk.steps) * 100 <= 6 * walk.steps)
            #expect(run.revolutions <= 2)
        }
    }
}
