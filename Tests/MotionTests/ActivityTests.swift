import Motion
import Seeded
@testable import Bodies
import Lab
import Testing

@Suite("What shakes a person without end")
struct ActivityTests {
    /// A seat over wheels: noise of so many m/s², and the slow sway of the body.
    private func drive(deviation: Float = 0.5, rateHz: Double = 50, seed: UInt64 = 1) -> SyntheticSignal {
        var signal = SyntheticSignal(rateHz: rateHz, seed: seed)
        signal.shake(seconds: 120, deviation: deviation, sway: 0.3)
        return signal
    }

    private func run(_ signal: SyntheticSignal, _ placement: PlacementGroup) -> PipelineRun {
        PipelineRun(signal.samples, MotionConfiguration(kind: .wearable, placement: placement))
    }

    @Test(
        "Who sits in a vehicle is told so within half a minute, and makes no step",
        arguments: [PlacementGroup.wrist, .pocket, .carried], [25.0, 50, 104])
    func vehicle(placement: PlacementGroup, rateHz: Double) {
        for seed in Sweep.seeds(1...4) {
            let run = run(drive(rateHz: rateHz, seed: seed), placement)
            #expect(run.seconds.dropFirst(30).allSatisfy { $0.activity == .automotive })
            #expect(run.seconds.last?.activityConfidence == .high)
            #expect(run.steps == 0 && run.revolutions == 0)
        }
    }

    @Test(
        "Of six who are driven over simulated roads five make hardly a step, and most of it is told, lights included",
        arguments: [SimulatedPlacement.wrist, .pocket, .hip, .hand, .bag])
    func passenger(placement: SimulatedPlacement) throws {
        var (steps, told, seconds): ([Int], Int, Int) = ([], 0, 0)
        for seed in Sweep.seeds(201...206, sample: 2) {
            let ride = try SimulatedSignal(.passenger(placement), seconds: 240, seed: seed)
            let run = PipelineRun(ride.samples, .worn(placement))
            steps.append(run.steps)
            #expect(run.revolutions < 12, "\(seed)")
            told += run.seconds.dropFirst(60).count { $0.activity == .automotive }
            seconds += run.seconds.dropFirst(60).count
        }
        #expect(steps.count { $0 > 16 } <= 1, "\(steps)")
        #expect(told * 10 > 7 * seconds)
    }

    @Test("A vehicle at a red light stays one for a minute, and who sits on at home is at rest")
    func redLight() {
        var signal = drive()
        signal.rest(seconds: 40)
        signal.shake(seconds: 30, deviation: 0.4, sway: 0.3)
        signal.rest(seconds: 90)
        let seconds = run(signal, .pocket).seconds
        #expect(seconds[30..<190].allSatisfy { $0.activity == .automotive })
        #expect(seconds.suffix(5).allSatisfy { $0.activity == .stationary })
    }

    @Test("A walk ends a drive at once")
    func walkAway() {
        var signal = drive()
        signal.walk(seconds: 20, stepsPerSecond: 1.8)
        let seconds = run(signal, .pocket).seconds
        #expect(seconds[100].activity == .automotive)
        #expect(seconds.suffix(10).allSatisfy { $0.activity == .walking })
    }

    @Test("A handlebar that rolls over a road is cycling, with or without a rhythm, and no step")
    func road() {
        for seed in Sweep.seeds(1...4) {
            let run = run(drive(deviation: 1.8, seed: seed), .wrist)
            #expect(run.seconds.dropFirst(30).allSatisfy { $0.activity == .cycling })
            #expect(run.steps == 0)
        }
    }

    @Test("A hand that trembles, and one that rests between its deeds, is in no vehicle")
    func home() {
        var trembling = SyntheticSignal()
        trembling.shake(seconds: 120, deviation: 0.12, sway: 0.3)
        var deeds = SyntheticSignal()
        for _ in 0..<30 {
            deeds.shake(seconds: 3, deviation: 0.4, sway: 0.5)
            deeds.rest(seconds: 3)
        }
        for signal in [trembling, deeds] {
            #expect(!run(signal, .wrist).seconds.contains { $0.activity == .automotive || $0.activity == .cycling })
        }
    }

    @Test("A bike on a floor that trembles is no vehicle")
    func bike() {
        let run = PipelineRun(drive().samples, MotionConfiguration(kind: .bike, placement: .frame))
        #expect(!run.seconds.contains { $0.activity == .automotive })
    }
}
