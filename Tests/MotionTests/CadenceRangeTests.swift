import Motion
@testable import Bodies
import Lab
import Testing
import trials

/// From the slowest to the fastest that riders turn.
@Suite("The range of cadences")
struct CadenceRangeTests {
    private static let cadences = [20.0, 30, 60, 100, 140, 180]
    private static let crank = MotionConfiguration(kind: .bike, placement: .crank)

    private static func plan(_ rpm: Double) -> RidePlan {
        RidePlan(
            script: [
                RideSegment(.rest, seconds: 5), RideSegment(.pedal(rpm: rpm), seconds: 60),
                RideSegment(.rest, seconds: 1_000),
            ], wanderRPM: 1)
    }

    @Test("A frame tells them, and so does a crank without a gyroscope", arguments: cadences)
    func range(rpm: Double) throws {
        let frame = try SimulatedRide(
            .frameRider(Self.plan(rpm), BikeMount()), seconds: 75, sensors: [.acceleration, .angularVelocity],
            seed: UInt64(rpm))
        let crank = try SimulatedRide(
            .crankRider(Self.plan(rpm), BikeMount()), seconds: 75, sensors: .acceleration, seed: UInt64(rpm))
        for (ride, run) in [
            (frame, PipelineRun(frame.samples, .frame)), (crank, PipelineRun(crank.samples, Self.crank)),
        ] {
            #expect(abs(run.revolutions - ride.revolutions) <= 2)
            let settled = run.seconds.dropFirst(25).prefix(35)
            #expect(settled.filter { abs(Double($0.cadenceRPM) - rpm) < 4 }.count >= 32)
        }
    }

    @Test(
        "Where both feet push alike, steps of cadence and short rests cost no more than a hundredth",
        arguments: [UInt64(3), 8])
    func steps(seed: UInt64) throws {
        let plan = RidePlan(
            script: [
                RideSegment(.pedal(rpm: 60), seconds: 30), RideSegment(.pedal(rpm: 100), seconds: 25),
                RideSegment(.rest, seconds: 6), RideSegment(.pedal(rpm: 75), seconds: 40),
                RideSegment(.rest, seconds: 100),
            ])
        let ride = try SimulatedRide(
            .frameRider(plan, BikeMount(secondToFirstRatio: 10, signalToNoise: 1)), seconds: 110,
            sensors: [.acceleration, .angularVelocity], seed: seed)
        let run = PipelineRun(ride.samples, .frame)
        #expect(abs(run.revolutions - ride.revolutions) <= 2)
    }
}
