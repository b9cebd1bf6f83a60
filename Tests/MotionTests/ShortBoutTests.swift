@testable import Bodies
import Lab
import Testing
import trials

@testable import Motion

/// Walks that are over before a period is sure.
@Suite("Short bouts")
struct ShortBoutTests {
    private static let back = MotionConfiguration(kind: .wearable, placement: .back)

    @Test("A few steps across a room are counted, each bout for itself", arguments: [1.5, 1.8])
    func acrossTheRoom(stepsPerSecond: Double) {
        var signal = SyntheticSignal(seed: 51)
        for _ in 0..<8 {
            signal.rest(seconds: 6)
            signal.walk(seconds: 6 / stepsPerSecond, stepsPerSecond: stepsPerSecond, amplitude: 1.5)
        }
        signal.rest(seconds: 6)
        let run = PipelineRun(signal.samples, Self.back)
        #expect(abs(run.steps - 48) <= 10)
    }

    @Test("Bouts of half a minute are counted once", arguments: [1.5, 1.8, 2.1])
    func notTwice(stepsPerSecond: Double) {
        var signal = SyntheticSignal(seed: 52)
        for _ in 0..<3 {
            signal.rest(seconds: 4)
            signal.walk(seconds: 30, stepsPerSecond: stepsPerSecond, amplitude: 1.5)
        }
        signal.rest(seconds: 6)
        let run = PipelineRun(signal.samples, Self.back)
        #expect(abs(Double(run.steps) - 90 * stepsPerSecond) <= 8)
    }

    @Test("Two or three jolts are no bout")
    func jolts() {
        var signal = SyntheticSignal(seed: 53)
        for count in [2.0, 3, 2, 3] {
            signal.rest(seconds: 8)
            // A foot is set down at second 0 and at every half second.
            signal.walk(seconds: count * 0.5 - 0.3, stepsPerSecond: 2, amplitude: 2)
        }
        signal.rest(seconds: 8)
        #expect(PipelineRun(signal.samples, Self.back).steps == 0)
    }

    @Test(
        "Errands about a house are counted, however slowly they are sampled",
        arguments: [
            (SimulatedPlacement.hip, PlacementGroup.hip, 0.08), (.pocket, .pocket, 0.1), (.wrist, .wrist, 0.3),
        ], [12.5, 25, 100])
    func errands(sensor: (placement: SimulatedPlacement, told: PlacementGroup, most: Double), rateHz: Double) throws {
        // Of a bout of a few steps the first ones and the last are soft.
        let (placement, place, most) = sensor
        var (wrong, steps) = (0, 0)
        for seed in UInt64(7700)..<7702 {
            let walk = try SimulatedWalk(.errands, placement, seconds: 90, rateHz: rateHz, seed: seed)
            let run = PipelineRun(walk.samples, MotionConfiguration(kind: .wearable, placement: place))
            // Too many in one walk do not make up for too few in another.
            wrong += abs(run.steps - walk.steps)
            steps += walk.steps
        }
        #expect(Double(wrong) < most * Double(steps))
    }

    @Test("Who goes a few steps again and again is not taken for pedalling", arguments: [UInt64(7001), 7007])
    func noRide(seed: UInt64) throws {
        let plan = WalkPlan(
            walkingRange: 75...120, boutSeconds: 2...5, standSeconds: 1.5...6, runProbability: 0, stepVariability: 0.06,
            cadenceWander: 0.05, gesturesPerMinute: 8)
        let walk = try SimulatedWalk(plan, .wrist, seconds: 240, seed: seed)
        let run = PipelineRun(walk.samples, MotionConfiguration(kind: .wearable, placement: .wrist))
        #expect(run.revolutions < 15)
    }

    @Test("Gestures of who stands are no bout at any sample rate", arguments: [12.5, 25, 100])
    func gestures(rateHz: Double) throws {
        let plan = WalkPlan(script: [WalkSegment(.stand, seconds: 1000)], gesturesPerMinute: 20)
        for seed in UInt64(7710)..<7712 {
            let walk = try SimulatedWalk(plan, .wrist, rateHz: rateHz, seed: seed)
            #expect(PipelineRun(walk.samples, MotionConfiguration(kind: .wearable, placement: .wrist)).steps == 0)
        }
    }

    @Test("Errands are roughly counted below the knee, however slowly it is sampled", arguments: [12.5, 25, 100])
    func errandsBelowTheKnee(rateHz: Double) throws {
        var (counted, steps) = (0, 0)
        for seed in UInt64(660)..<663 {
            let walk = try SimulatedWalk(.errands, .ankle, seconds: 120, rateHz: rateHz, seed: seed)
            let run = PipelineRun(walk.samples, .ankle)
            #expect(run.revolutions == 0)
            counted += run.steps
            steps += walk.steps
        }
        #expect(abs(counted - steps) * 3 <= steps)
    }

    @Test("A few turns of a crank are no strides", arguments: [40.0, 65])
    func crank(rpm: Double) throws {
        let script = (0..<40).flatMap { index in
            [
                RideSegment(.rest, seconds: 4),
                RideSegment(.pedal(rpm: rpm + Double(index % 5)), seconds: 2 + Double(index % 4)),
            ]
        }
        for seed in UInt64(670)..<673 {
            let ride = try SimulatedRide(
                .wearingRider(RidePlan(script: script, wanderRPM: 1.5), .ankle), seconds: 80, sensors: .acceleration,
                rateHz: 25, seed: seed)
            #expect(PipelineRun(ride.samples, .ankle).steps == 0)
        }
    }
}
