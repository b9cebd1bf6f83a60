import Motion
import Seeded
@testable import Bodies
import Lab
import Testing

@Suite("Devices that nobody described")
struct UndescribedTests {
    private static let nothing = MotionConfiguration()
    private static let sixAxes: SensorSet = [.acceleration, .angularVelocity]
    private static let sensorSets: [SensorSet] = [sixAxes, .acceleration]

    private static func ride(rpm: Double, sensors: SensorSet, seed: UInt64) throws -> SimulatedRide {
        let script = [
            RideSegment(.rest, seconds: 6), RideSegment(.pedal(rpm: rpm), seconds: 100),
            RideSegment(.rest, seconds: 1_000),
        ]
        let mount = BikeMount(signalRMS: 0.5, secondToFirstRatio: 1.6, signalToNoise: 5, touchesPerMinute: 0)
        return try SimulatedRide(
            .frameRider(RidePlan(script: script, wanderRPM: 1.2), mount), seconds: 116, sensors: sensors, seed: seed)
    }

    @Test("One on a bike's frame makes revolutions and no steps", arguments: sensorSets, [62.0, 80, 98])
    func bike(sensors: SensorSet, rpm: Double) throws {
        for seed in Sweep.seeds(70..<74) {
            let ride = try Self.ride(rpm: rpm, sensors: sensors, seed: seed)
            let run = PipelineRun(ride.samples, Self.nothing)
            #expect(run.steps <= 2)
            #expect(abs(run.revolutions - ride.revolutions) <= max(4, ride.revolutions * 4 / 100))
        }
    }

    /// A ride that begins with the signal, and one that goes on when it begins again after so many seconds.
    private static func ridden(afterRest seconds: Double, sensors: SensorSet, seed: UInt64) throws -> SimulatedRide {
        let script = [RideSegment(.rest, seconds: seconds), RideSegment(.pedal(rpm: 84), seconds: 100)]
        let mount = BikeMount(signalRMS: 0.5, secondToFirstRatio: 1.6, signalToNoise: 3, touchesPerMinute: 0)
        return try SimulatedRide(
            .frameRider(RidePlan(script: script, wanderRPM: 1.2), mount), seconds: 60 + Int(seconds), sensors: sensors,
            seed: seed)
    }

    @Test("No turn before the decision is lost of a ride that begins with the signal", arguments: sensorSets)
    func rideFromTheBeginning(sensors: SensorSet) throws {
        for seed in Sweep.seeds(60..<68, sample: 4) {
            let ride = try Self.ridden(afterRest: 0.01, sensors: sensors, seed: seed)
            let run = PipelineRun(ride.samples, Self.nothing)
            #expect(abs(run.revolutions - ride.revolutions) <= 3)
        }
    }

    @Test("Nothing is counted of the time before a signal, though the sensor rested there", arguments: sensorSets)
    func pauseOfTheSignal(sensors: SensorSet) throws {
        for seed in Sweep.seeds(60..<68, sample: 4) {
            let ride = try Self.ridden(afterRest: 6, sensors: sensors, seed: seed)
            let start = SyntheticSignal.startMicroseconds
            let heard = ride.samples.filter { !(4_000_000..<18_000_000).contains($0.timeMicroseconds - start) }
            let run = PipelineRun(heard, Self.nothing)
            #expect(abs(run.revolutions - ride.times.count { $0 > 18 }) <= 3)
        }
    }

    @Test(
        "Bouts of ten steps away from the wrist are not lost", arguments: [SimulatedPlacement.hip, .pocket, .thigh],
        [MotionConfiguration(), MotionConfiguration(kind: .wearable)])
    func tenSteps(placement: SimulatedPlacement, configuration: MotionConfiguration) throws {
        let bout = [WalkSegment(.stand, seconds: 7), WalkSegment(.walk(stepsPerMinute: 104), seconds: 5.8)]
        let script = (0..<6).flatMap { _ in bout } + [WalkSegment(.stand, seconds: 1_000)]
        let plan = WalkPlan(script: script, gesturesPerMinute: 0)
        var (counted, steps) = (0, 0)
        for seed in Sweep.seeds(90..<93) {
            let walk = try SimulatedWalk(plan, placement, seconds: 90, seed: seed)
            counted += PipelineRun(walk.samples, configuration).steps
            steps += walk.steps
        }
        #expect((0.8...1.1).contains(Double(counted) / Double(steps)))
    }

    @Test("One on a walker makes steps and no revolutions", arguments: [SimulatedPlacement.wrist, .pocket, .hip])
    func walker(placement: SimulatedPlacement) throws {
        for (seed, stepsPerMinute) in zip(UInt64(80)..., [97.0, 104, 111, 118]) {
            let walk = try SimulatedWalk(.walk(stepsPerMinute: stepsPerMinute), placement, seed: seed)
            let run = PipelineRun(walk.samples, Self.nothing)
            #expect(abs(run.steps - walk.steps) <= 4)
            #expect(run.revolutions == 0)
        }
    }

    @Test(
        "One on a slow walker makes steps, though so slow a body hardly shakes it more than a bike's frame is",
        arguments: [SimulatedPlacement.hip, .bag, .pocket])
    func slowWalker(placement: SimulatedPlacement) throws {
        var (steps, truth, revolutions) = (0, 0, 0)
        for seed in Sweep.seeds(7400..<7408, sample: 2) {
            let walk = try SimulatedWalk(.walk(stepsPerMinute: 75), placement, seed: seed)
            let run = PipelineRun(walk.samples, Self.nothing)
            (steps, truth, revolutions) = (steps + run.steps, truth + walk.steps, revolutions + run.revolutions)
        }
        #expect((0.93...1.05).contains(Double(steps) / Double(truth)))
        #expect(revolutions * 20 < truth)
    }

    @Test("One in the pocket of a sprinter makes steps, though nothing so quick is smooth", arguments: UInt64(51)...62)
    func sprinter(seed: UInt64) throws {
        let run = try SimulatedWalk(.run(stepsPerMinute: 215), .pocket, seed: seed)
        #expect(abs(PipelineRun(run.samples, Self.nothing).steps - run.steps) <= run.steps / 20)
    }

    @Test("One that is taken from its holder and carried makes revolutions, and then steps", arguments: UInt64(90)..<94)
    func taken(seed: UInt64) throws {
        let ride = try Self.ride(rpm: 85, sensors: .acceleration, seed: seed)
        let walk = try SimulatedWalk(.walk(stepsPerMinute: 110), .pocket, seed: seed)
        let carried = walk.samples.accelerations(after: 116_000_000)
        let run = PipelineRun(ride.samples + carried, Self.nothing)
        #expect(abs(run.revolutions - ride.revolutions) <= 8)
        #expect(abs(run.steps - walk.steps) <= 8)
    }
}
