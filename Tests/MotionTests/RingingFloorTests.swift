import Motion
@testable import Bodies
import Lab
import Seeded
import Testing

/// A floor that rings at one frequency moves a bike as pedalling does, but swells and fades.
@Suite("Ringing floors")
struct RingingFloorTests {
    private static let atRest = RidePlan(script: [RideSegment(.rest, seconds: 100_000)])

    private static func mount(_ floor: FloorResonance, signalRMS: Double = 0.4) -> BikeMount {
        BikeMount(signalRMS: signalRMS, touchesPerMinute: 0, floor: floor)
    }

    @Test(
        "A floor that rings makes next to no revolutions, however sharp its resonance",
        arguments: Sweep.cases([3.0, 5, 10, 20], every: 3), Sweep.cases([1.2, 1.6, 2.6, 4], every: 2))
    func rings(quality: Double, frequencyHz: Double) throws {
        for (sensors, rms) in [([.acceleration, .angularVelocity], 0.06), (.acceleration, 0.3)] as [(SensorSet, Double)]
        {
            let floor = FloorResonance(frequencyHz: frequencyHz, quality: quality, rms: rms)
            let ride = try SimulatedRide(
                .frameRider(Self.atRest, Self.mount(floor, signalRMS: 0.05)), seconds: 200, sensors: sensors,
                seed: UInt64(10 * frequencyHz + quality))
            let run = PipelineRun(ride.samples, .frame)
            #expect(Double(run.revolutions) <= 0.1 * 200 * frequencyHz)
            if frequencyHz > 2 { #expect(run.seconds.filter { $0.cadenceRPM > 0 }.count <= 50) }
        }
    }

    @Test("Who pedals on such a floor is counted, from the first turn on", arguments: [1.2, 2.2, 3])
    func pedals(frequencyHz: Double) throws {
        let plan = RidePlan(script: [
            RideSegment(.rest, seconds: 60), RideSegment(.pedal(rpm: 85), seconds: 120),
            RideSegment(.rest, seconds: 60),
        ])
        let floor = FloorResonance(frequencyHz: frequencyHz, quality: 3, rms: 0.04)
        let ride = try SimulatedRide(
            .frameRider(plan, Self.mount(floor)), seconds: 240, sensors: [.acceleration, .angularVelocity], seed: 5)
        let run = PipelineRun(ride.samples, .frame)
        #expect(abs(run.revolutions - ride.revolutions) <= 6)
    }
}
