import Motion
import Testing

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
