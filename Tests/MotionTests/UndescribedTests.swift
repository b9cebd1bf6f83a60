import Motion
import Seeded
@testable import Bodies
import Lab
import Testing

@Suite("Devices that nobody described")
struct UndescribedTests {
    private static let sensorSets: [SensorSet] = [[.acceleration, .angularVelocity], .acceleration]

    /// A rest and a ride of so many seconds.
    private static func ride(
        afterRest restSeconds: Double, seconds: Double, rpm: Double = 84, signalToNoise: Double = 3,
        sensors: SensorSet = .acceleration, seed: UInt64
    ) throws -> SimulatedSignal {
        var mount = BikeMount.ordinary
        mount.signalToNoise = signalToNoise
        let script = [RideSegment(.rest, seconds: restSeconds), RideSegment(.pedal(rpm: rpm), seconds: 100)]
        let deed = Deed("", seconds: restSeconds + seconds, script, wanderRPM: 1.2, on: mount)
        return try SimulatedSignal(deed, .frame, sensors: sensors, seed: seed)
    }

    @Test("No turn before the decision is lost of a ride that begins with the signal", arguments: sensorSets)
    func rideFromTheBeginning(sensors: SensorSet) throws {
        for seed in Sweep.seeds(60..<68, sample: 4) {
            let ride = try Self.ride(afterRest: 0.01, seconds: 60, sensors: sensors, seed: seed)
            let run = PipelineRun(ride.samples, .nothing)
            #expect(abs(run.revolutions - ride.revolutions) <= 3)
        }
    }

    @Test("Nothing is counted of the time before a signal, though the sensor rested there", arguments: sensorSets)
    func pauseOfTheSignal(sensors: SensorSet) throws {
        for seed in Sweep.seeds(60..<68, sample: 4) {
            let ride = try Self.ride(afterRest: 6, seconds: 60, sensors: sensors, seed: seed)
            let start = SyntheticSignal.startMicroseconds
            let heard = ride.samples.filter { !(4_000_000..<18_000_000).contains($0.timeMicroseconds - start) }
            let run = PipelineRun(heard, .nothing)
            #expect(abs(run.revolutions - ride.times.count { $0 > 18 }) <= 3)
        }
    }

    @Test("One that is taken from its holder and carried makes revolutions, and then steps", arguments: UInt64(90)..<94)
    func taken(seed: UInt64) throws {
        let ride = try Self.ride(afterRest: 6, seconds: 110, rpm: 85, signalToNoise: 5, seed: seed)
        let walk = try SimulatedSignal(.walk(110), .pocket, seed: seed)
        let carried = walk.samples.accelerations(afterSeconds: 116)
        let run = PipelineRun(ride.samples + carried, .nothing)
        #expect(abs(run.revolutions - ride.revolutions) <= 8)
        #expect(abs(run.steps - walk.steps) <= 8)
    }

    @Test("One that is taken off and worn elsewhere is counted there", arguments: [SimulatedPlacement.wrist, .hip])
    func moved(placement: SimulatedPlacement) throws {
        for seed in UInt64(7700)..<7704 {
            let ankle = try SimulatedSignal(.walk(100), .ankle, seed: seed)
            let other = try SimulatedSignal(.walk(110), placement, seed: seed)
            let samples = ankle.samples + other.samples.accelerations(afterSeconds: 80)
            let run = PipelineRun(samples, .nothing)
            let truth = ankle.steps + other.steps
            #expect(abs(run.steps - truth) <= truth / 12, "\(seed): \(run.steps) of \(truth)")
        }
    }
}
