import Motion
import Testing

/// What a wearable says of an acceleration in which steps are hardly left.
@Suite("Coarse sensors")
struct CoarseSensorTests {
    private static func walk(
        seconds: Double, rateHz: Double, stepsPerSecond: Double = 1.8, heels: Float = 2, unit: Float = 0,
        scale: Float = 1
    ) -> MotionDiagnostics {
        var signal = SyntheticSignal(rateHz: rateHz, seed: 3)
        signal.rest(seconds: 10)
        signal.walk(seconds: seconds, stepsPerSecond: stepsPerSecond, amplitude: 4, heels: heels)
        let samples = signal.samples.map { sample in
            var sample = sample
            if unit > 0 { sample.acceleration = (sample.acceleration / unit).rounded(.toNearestOrEven) * unit }
            sample.acceleration *= scale
            return sample
        }
        return PipelineRun(samples, MotionConfiguration(kind: .wearable, placement: .wrist)).diagnostics
    }

    @Test("Acceleration in whole halves of g is told, in eighths it is not", arguments: [25.0, 100])
    func rounded(rateHz: Double) {
        #expect(Self.walk(seconds: 120, rateHz: rateHz, unit: 4.9).isTooCoarse)
        #expect(!Self.walk(seconds: 120, rateHz: rateHz, unit: 1.2).isTooCoarse)
        #expect(!Self.walk(seconds: 120, rateHz: rateHz).isTooCoarse)
    }

    @Test("So is acceleration that comes in g")
    func roundedInGravities() {
        #expect(Self.walk(seconds: 120, rateHz: 25, unit: 4.903_325, scale: 1 / 9.806_65).isTooCoarse)
        #expect(!Self.walk(seconds: 120, rateHz: 25, unit: 0.98, scale: 1 / 9.806_65).isTooCoarse)
    }

    @Test("A slow watch whose walks are never sharp is told after some minutes, one with heels in it is not")
    func smoothed() {
        #expect(!Self.walk(seconds: 120, rateHz: 12.5, stepsPerSecond: 1.5, heels: 0).isTooSmooth)
        #expect(Self.walk(seconds: 1200, rateHz: 12.5, stepsPerSecond: 1.5, heels: 0).isTooSmooth)
        #expect(!Self.walk(seconds: 1200, rateHz: 12.5, stepsPerSecond: 1.5).isTooSmooth)
        #expect(!Self.walk(seconds: 1200, rateHz: 25, stepsPerSecond: 1.5, heels: 0).isTooSmooth)
    }
}
