@testable import Bodies
import Lab
import Motion
import Testing

/// What the fitted model promises, whatever numbers the fit gives it.
@Suite("The fitted model")
struct FittedModelTests {
    private static func configuration(_ placement: PlacementGroup) -> MotionConfiguration {
        MotionConfiguration(kind: .wearable, placement: placement)
    }

    @Test(
        "A simulated walk is counted within 5 % at any sample rate",
        arguments: [SimulatedPlacement.hip, .pocket, .ankle],
        [12.5, 50, 100])
    func walks(placement: SimulatedPlacement, rateHz: Double) throws {
        let walk = try SimulatedWalk(.walk(stepsPerMinute: 105), placement, rateHz: rateHz, seed: 7)
        let places: [SimulatedPlacement: PlacementGroup] = [.hip: .hip, .pocket: .pocket, .ankle: .ankle]
        let run = PipelineRun(walk.samples, Self.configuration(places[placement] ?? .unknown))
        #expect(abs(Double(run.steps - walk.steps)) <= 0.05 * Double(walk.steps))
        #expect(run.revolutions == 0)
    }

    @Test("Rest makes nothing, and is told as rest")
    func rests() {
        var signal = SyntheticSignal(seed: 8)
        signal.rest(seconds: 40)
        let run = PipelineRun(signal.samples, Self.configuration(.wrist))
        #expect(run.steps == 0 && run.revolutions == 0)
        #expect(run.seconds.last?.activity == .stationary)
    }

    @Test("The cadence is zero within three seconds of stopping")
    func stops() {
        var signal = SyntheticSignal(seed: 7)
        signal.walk(seconds: 30, stepsPerSecond: 1.9)
        signal.rest(seconds: 10)
        let run = PipelineRun(signal.samples, Self.configuration(.pocket))
        #expect((29...33).contains(run.lastActiveSecond))
    }

    @Test("Steps come in the order of their times, while the walk lasts, and those before a gap are counted")
    func times() {
        var signal = SyntheticSignal(seed: 6)
        signal.rest(seconds: 6)
        signal.walk(seconds: 30, stepsPerSecond: 2)
        signal.gap(seconds: 30)
        let run = PipelineRun(signal.samples, Self.configuration(.pocket))
        var times: [Int64] = []
        for case .steps(_, let time) in run.events { times.append(time - SyntheticSignal.startMicroseconds) }
        #expect((54...64).contains(run.steps))
        #expect(times == times.sorted())
        #expect(times.allSatisfy { (5_000_000...36_500_000).contains($0) })
    }

    @Test("A signal in g and a rate too low to count are recognised")
    func units() {
        var signal = SyntheticSignal(seed: 11)
        signal.rest(seconds: 3)
        signal.walk(seconds: 30, stepsPerSecond: 2)
        let scaled = signal.samples.map { sample in
            var sample = sample
            sample.acceleration /= 9.80665
            return sample
        }
        let run = PipelineRun(scaled, Self.configuration(.pocket))
        #expect(run.diagnostics.isInStandardGravities)
        #expect((56...64).contains(run.steps))
        var slow = SyntheticSignal(rateHz: 5, seed: 13)
        slow.walk(seconds: 30, stepsPerSecond: 2)
        let slowRun = PipelineRun(slow.samples, Self.configuration(.pocket))
        #expect(slowRun.steps == 0 && slowRun.diagnostics.isTooSlow)
    }

    @Test("Junk in every field neither traps nor counts for ever")
    func junk() {
        let samples = (0..<3_000).map { number in
            let acceleration: Float = number % 11 == 0 ? 0 : number % 7 == 0 ? 300 : -300
            let turning: Float = number % 5 == 0 ? 69 : -69
            return MotionSample(
                timeMicroseconds: Int64(number) * 20_000, acceleration: SIMD3(repeating: acceleration),
                angularVelocity: SIMD3(repeating: turning),
                sensors: number / 500 % 2 == 0 ? [.acceleration, .angularVelocity] : .angularVelocity)
        }
        let run = PipelineRun(samples, Self.configuration(.unknown))
        #expect(run.steps < 300 && run.revolutions < 300)
    }
}
