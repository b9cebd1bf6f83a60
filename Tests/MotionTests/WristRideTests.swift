import Motion
import Lab
import Testing

/// How soon and how surely a hand on a handlebar tells the cadence.
@Suite("Rides at the wrist")
struct WristRideTests {
    private static let sixAxes: Motion.SensorSet = [.acceleration, .angularVelocity]

    private static func ride(_ script: [RideSegment], seconds: Int, seed: UInt64) throws -> SimulatedRide {
        try SimulatedRide(
            .wearingRider(RidePlan(script: script, wanderRPM: 1), .wrist), seconds: seconds, sensors: sixAxes,
            seed: seed)
    }

    private static func run(_ samples: [MotionSample]) -> PipelineRun {
        PipelineRun(samples, MotionConfiguration(kind: .wearable, placement: .wrist))
    }

    @Test("Who pedals already when a watch begins to listen has a cadence within four seconds, and all turns later")
    func begun() throws {
        var (soon, revolutions) = (0, 0)
        for seed in UInt64(700)..<712 {
            let ride = try Self.ride([RideSegment(.pedal(rpm: 75), seconds: 100)], seconds: 50, seed: seed)
            let run = Self.run(Array(ride.samples.dropFirst(30 * 50)))
            if run.seconds.count > 3, abs(run.seconds[3].cadenceRPM - 75) < 8 { soon += 1 }
            revolutions += run.revolutions
        }
        #expect(soon >= 9)
        #expect((240...330).contains(revolutions))
    }

    @Test("Another cadence is told within six seconds")
    func change() throws {
        let script = [60.0, 100, 70, 100, 70].map { RideSegment(.pedal(rpm: $0), seconds: 20) }
        var right = 0
        for seed in UInt64(700)..<708 {
            let run = Self.run(try Self.ride(script, seconds: 100, seed: seed).samples)
            for (second, rpm) in [(46, 70.0), (66, 100), (86, 70)] where run.seconds.count > second {
                if abs(Double(run.seconds[second].cadenceRPM) - rpm) < 6 { right += 1 }
            }
        }
        #expect(right >= 20)
    }

    @Test("A rhythm that was pedalled makes no steps when the hand is moved")
    func grip() throws {
        let script = [RideSegment(.rest, seconds: 10), RideSegment(.pedal(rpm: 80), seconds: 60)]
        var (steps, revolutions, turned) = (0, 0, 0)
        for seed in UInt64(700)..<708 {
            let ride = try Self.ride(script, seconds: 70, seed: seed)
            let run = Self.run(ride.samples)
            (steps, revolutions, turned) = (
                steps + run.steps, revolutions + run.revolutions, turned + ride.revolutions
            )
        }
        #expect(steps * 50 <= turned)
        #expect(revolutions * 10 >= turned * 9)
    }
}
