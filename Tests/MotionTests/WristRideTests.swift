import Motion
@testable import Bodies
import Lab
import Testing
import trials

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

    @Test("Another cadence is mostly told within eight seconds")
    func change() throws {
        let script = [60.0, 100, 70, 100, 70].map { RideSegment(.pedal(rpm: $0), seconds: 20) }
        var right = 0
        for seed in UInt64(700)..<708 {
            let run = Self.run(try Self.ride(script, seconds: 100, seed: seed).samples)
            for (second, rpm) in [(48, 70.0), (68, 100), (88, 70)] where run.seconds.count > second {
                if abs(Double(run.seconds[second].cadenceRPM) - rpm) < 6 { right += 1 }
            }
        }
        #expect(right >= 16)
    }

    @Test("A rhythm that was pedalled makes no steps when the hand is moved")
    func grip() throws {
        let script = [RideSegment(.rest, seconds: 10), RideSegment(.pedal(rpm: 80), seconds: 60)]
        var (steps, turned) = (0, 0)
        for seed in UInt64(700)..<708 {
            let ride = try Self.ride(script, seconds: 70, seed: seed)
            let run = Self.run(ride.samples)
            (steps, turned) = (steps + run.steps, turned + ride.revolutions)
        }
        #expect(steps * 50 <= turned)
    }
}
