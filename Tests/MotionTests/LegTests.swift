import Motion
import Testing

@Suite("Legs")
struct LegTests {
    private static let ankle = MotionConfiguration(kind: .wearable, placement: .ankle)

    @Test("A foot that walks makes two steps a stride at any sample rate", arguments: [25.0, 50, 100], [1.6, 2.0])
    func walks(rateHz: Double, stepsPerSecond: Double) {
        var signal = SyntheticSignal(rateHz: rateHz, jitter: 0.2, seed: 31)
        signal.rest(seconds: 4)
        signal.walkOnFoot(seconds: 40, stepsPerSecond: stepsPerSecond)
        signal.rest(seconds: 5)
        let run = PipelineRun(signal.samples, Self.ankle)
        #expect(abs(Double(run.steps) - 40 * stepsPerSecond) <= 4)
        #expect(run.revolutions == 0)
    }

    @Test("A leg that pedals makes revolutions and no steps", arguments: [30.0, 60, 90, 120, 170], [Float(0.2), 1])
    func pedals(rpm: Double, shake: Float) {
        var signal = SyntheticSignal(rateHz: 50, jitter: 0.2, seed: 32)
        signal.rest(seconds: 4)
        signal.pedalOnLeg(seconds: 60, rpm: rpm, shake: shake)
        signal.rest(seconds: 5)
        let run = PipelineRun(signal.samples, Self.ankle)
        #expect(run.steps == 0)
        #expect(abs(Double(run.revolutions) - rpm) <= max(3, 0.04 * rpm))
    }

    @Test("After a strong gesture a wrist that pedals on is soon seen to pedal on")
    func gesture() {
        var signal = SyntheticSignal(rateHz: 50, seed: 33)
        signal.pedalAtWrist(seconds: 60, rpm: 58, gestureSeconds: 30...33)
        let run = PipelineRun(signal.samples, MotionConfiguration(kind: .wearable, placement: .wrist))
        let after = run.seconds.filter { report in
            Double(report.timeMicroseconds - SyntheticSignal.startMicroseconds) / 1e6 > 44
        }
        #expect(after.count > 10)
        #expect(after.allSatisfy { abs($0.cadenceRPM - 58) < 5 })
        #expect(run.steps == 0)
    }
}
