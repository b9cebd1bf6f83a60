import Lab
import Testing

@testable import Motion

/// Walks that are over before a period is sure.
@Suite("Short bouts")
struct ShortBoutTests {
    private static let back = MotionConfiguration(kind: .wearable, placement: .back)

    @Test("A few steps across a room are counted, each bout for itself", arguments: [1.5, 1.8, 2.1])
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

    @Test("What a long walk's period counts is not counted again footfall by footfall", arguments: [1.5, 1.8, 2.1])
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
        "Errands about a house are counted wherever the sensor sits, however slowly it is sampled",
        arguments: [SimulatedPlacement.hip, .pocket, .wrist], [12.5, 25, 100])
    func errands(placement: SimulatedPlacement, rateHz: Double) throws {
        // Of a bout of a few steps the first ones and the last are soft.
        let (place, most): (Placement, Double) =
            switch placement {
            case .hip: (.hip, 0.08)
            case .pocket: (.pocket, 0.1)
            default: (.wrist, 0.12)
            }
        var (counted, steps) = (0, 0)
        for seed in UInt64(7700)..<7702 {
            let walk = try SimulatedWalk(.errands, placement, seconds: 90, rateHz: rateHz, seed: seed)
            counted += PipelineRun(walk.samples, MotionConfiguration(kind: .wearable, placement: place)).steps
            steps += walk.steps
        }
        #expect(abs(Double(counted - steps)) < most * Double(steps))
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

    @Test("What moves before and after a few steps does not hide them")
    func fumbled() {
        var signal = SyntheticSignal(seed: 55)
        for _ in 0..<6 {
            signal.rest(seconds: 6)
            signal.fumble(seconds: 0.8, deviation: 0.6)
            signal.walk(seconds: 3, stepsPerSecond: 2, amplitude: 1.5)
            signal.fumble(seconds: 0.8, deviation: 0.6)
        }
        signal.rest(seconds: 6)
        let run = PipelineRun(signal.samples, Self.back)
        #expect((30...48).contains(run.steps))
    }

    @Test("Gestures of who stands are no bout at any sample rate", arguments: [12.5, 25, 100])
    func gestures(rateHz: Double) throws {
        let plan = WalkPlan(script: [WalkSegment(.stand, seconds: 1000)], gesturesPerMinute: 20)
        for seed in UInt64(7710)..<7712 {
            let walk = try SimulatedWalk(plan, .wrist, rateHz: rateHz, seed: seed)
            #expect(PipelineRun(walk.samples, MotionConfiguration(kind: .wearable, placement: .wrist)).steps == 0)
        }
    }

    @Test("The roughness of the same feet says the same at any sample rate")
    func sampledRoughness() {
        // Of a sine every 0.55 s 0.21; of the jolts of feet 0.6 at 25 Hz, of which more is left at 100 Hz and less at
        // 15 Hz.
        let said = [(100.0, 0.97), (25, 0.81), (15, 0.6)].map { rateHz, roughness in
            FootfallOdds(placement: .pocket, sampleSeconds: Float(1 / rateHz), recentRate: 0)
                .ofRoughness(Float(roughness), height: 2, interval: 0.55)
        }
        #expect(said.allSatisfy { $0 == said[0] && $0 > 0 })
        let wrist = FootfallOdds(placement: .wrist, sampleSeconds: 0.04, recentRate: 0)
        #expect(wrist.ofRoughness(0.15, height: 2, interval: 0.55) < 0)
        #expect(wrist.ofRoughness(1.8, height: 2, interval: 0.55) < -3)
    }

    @Test("One step out of time says little against a walk, and an arm that goes far in slow strokes much")
    func signs() {
        let wrist = FootfallOdds(placement: .wrist, sampleSeconds: 0.04, recentRate: 0)
        #expect(wrist.ofEvenness(0.9, interval: 0.55) >= -2)
        #expect(wrist.ofEvenness(0.05, interval: 0.55) > 1)
        #expect(wrist.ofRise(2, interval: 0.55) == 0)
        #expect(wrist.ofRise(3, interval: 0.95) < -3)
        #expect(FootfallOdds(placement: .wrist, sampleSeconds: 0.04, recentRate: 1.8).ofRecall(0.55) > 0)
        #expect(wrist.ofRecall(0.55) == 0)
    }

    @Test("A seat's springs move up and down alone, and a walker forward and to the sides as well")
    func springs() {
        for placement in [Placement.wrist, .hip, .pocket] {
            let odds = FootfallOdds(placement: placement, sampleSeconds: 0.02, recentRate: 0)
            #expect(odds.ofShare(0.96) < -2 && odds.ofShare(0.75) > 0)
        }
    }

    @Test("A confidence never falls when the signal becomes clearer")
    func calibration() {
        for noisy in [Float(2), 8] {
            var weak = SyntheticSignal(seed: 54)
            weak.pedal(seconds: 50, .init(rpm: 80, ratio: 2, signalToNoise: noisy))
            var clear = SyntheticSignal(seed: 54)
            clear.pedal(seconds: 50, .init(rpm: 80, ratio: 2, signalToNoise: 100))
            let last = { (signal: SyntheticSignal) in PipelineRun(signal.samples, .frame).seconds.last?.confidence ?? 0
            }
            #expect(last(weak) <= last(clear))
            #expect(last(clear) > 0.95)
        }
    }
}
