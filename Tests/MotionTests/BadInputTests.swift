@testable import Bodies
import Lab
import Motion
import Seeded
import Testing

@Suite("Bad input")
struct BadInputTests {
    private static func walk() -> SyntheticSignal {
        var signal = SyntheticSignal(seed: 31)
        signal.walk(seconds: 30, stepsPerSecond: 2)
        return signal
    }

    @Test("Values that are not numbers are left out, counted, and harm nothing")
    func notNumbers() {
        let clean = Self.walk().samples
        var dirty = clean
        for index in stride(from: 5, to: dirty.count, by: 40) {
            var bad = dirty[index]
            bad.acceleration.y = index % 80 == 5 ? .nan : .infinity
            dirty[index] = bad
        }
        let run = PipelineRun(dirty, .pocket)
        #expect(abs(run.steps - PipelineRun(clean, .pocket).steps) <= 1)
        #expect(run.diagnostics.ignoredSamples == UInt64(stride(from: 5, to: clean.count, by: 40).underestimatedCount))
    }

    @Test("Huge values are clipped and counted")
    func huge() {
        var samples = Self.walk().samples
        samples[400].acceleration = SIMD3(repeating: .greatestFiniteMagnitude)
        let run = PipelineRun(samples, .pocket)
        #expect(run.diagnostics.saturatedSamples == 1)
        #expect((52...63).contains(run.steps))
    }

    @Test("Equal, earlier and absurd times are left out and counted")
    func times() {
        let clean = Self.walk().samples
        var dirty: [MotionSample] = []
        for (index, sample) in clean.enumerated() {
            dirty.append(sample)
            var bad = sample
            switch index % 100 {
            case 10: bad.timeMicroseconds -= 500_000
            case 30: bad.timeMicroseconds = .min
            case 50: bad.timeMicroseconds = .max
            case 70: break
            default: continue
            }
            dirty.append(bad)
        }
        let run = PipelineRun(dirty, .pocket)
        #expect(run.steps == PipelineRun(clean, .pocket).steps)
        #expect(run.diagnostics.ignoredSamples == UInt64(dirty.count - clean.count))
    }

    @Test("A single sample from the future does not stop the count")
    func future() {
        var samples = Self.walk().samples
        var bad = samples[500]
        bad.timeMicroseconds += 86_400_000_000
        samples.insert(bad, at: 500)
        let run = PipelineRun(samples, .pocket)
        #expect(run.steps > 45)
    }

    @Test("Random bits neither trap nor poison", arguments: [UInt64(1), 2, 3, 4])
    func randomBits(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func float() -> Float { Float(bitPattern: UInt32.random(in: 0 ... .max, using: &generator)) }
        var pipeline = MotionPipeline(configuration: MotionConfiguration())
        var events = MotionEvents()
        var time = SyntheticSignal.startMicroseconds
        for index in 0..<5000 {
            time = index % 97 == 0 ? Int64.random(in: .min ... .max, using: &generator) : time &+ 20_000
            let sample = MotionSample(
                timeMicroseconds: time, acceleration: SIMD3(float(), float(), float()),
                angularVelocity: SIMD3(float(), float(), float()), magneticField: SIMD3(float(), float(), float()),
                sensors: SensorSet(rawValue: UInt8.random(in: 0...255, using: &generator)))
            pipeline.process(sample, into: &events)
            events.removeAll()
        }
        pipeline.flush(into: &events)
        var bytes: [UInt8] = []
        pipeline.save(into: &bytes)
        #expect(throws: Never.self) { try MotionPipeline(restoring: bytes) }
    }

    @Test("A flushed pipeline goes on")
    func flush() {
        let samples = Self.walk().samples
        var pipeline = MotionPipeline(configuration: .pocket)
        var events = MotionEvents()
        for (index, sample) in samples.enumerated() {
            if index == samples.count / 2 { pipeline.flush(into: &events) }
            pipeline.process(sample, into: &events)
        }
        pipeline.flush(into: &events)
        pipeline.flush(into: &events)
        var steps = 0
        for case .steps(let count, _) in events { steps += count }
        #expect((55...63).contains(steps))
    }

    @Test("A gyroscope that says nothing but 0 hides no steps")
    func brokenGyroscope() throws {
        let walk = try SimulatedSignal(.walk(110), .pocket, seed: 3)
        var samples = walk.samples
        for index in samples.indices { samples[index].sensors.insert(.angularVelocity) }
        let without = PipelineRun(walk.samples, .pocket)
        #expect(PipelineRun(samples, .pocket).steps == without.steps && without.steps > 100)
    }

    // MARK: - Coarse sensors

    /// What a wearable says of an acceleration in which steps are hardly left.
    private static func coarseWalk(
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
        return PipelineRun(samples, .wrist).diagnostics
    }

    @Test("Acceleration in whole halves of g is told, in eighths it is not", arguments: [25.0, 100])
    func rounded(rateHz: Double) {
        #expect(Self.coarseWalk(seconds: 120, rateHz: rateHz, unit: 4.9).isTooCoarse)
        #expect(!Self.coarseWalk(seconds: 120, rateHz: rateHz, unit: 1.2).isTooCoarse)
        #expect(!Self.coarseWalk(seconds: 120, rateHz: rateHz).isTooCoarse)
    }

    @Test("So is acceleration that comes in g")
    func roundedInGravities() {
        #expect(Self.coarseWalk(seconds: 120, rateHz: 25, unit: 4.903_325, scale: 1 / 9.806_65).isTooCoarse)
        #expect(!Self.coarseWalk(seconds: 120, rateHz: 25, unit: 0.98, scale: 1 / 9.806_65).isTooCoarse)
    }

    @Test("A slow watch whose walks are never sharp is told after some minutes, one with heels in it is not")
    func smoothed() {
        #expect(!Self.coarseWalk(seconds: 120, rateHz: 12.5, stepsPerSecond: 1.5, heels: 0).isTooSmooth)
        #expect(Self.coarseWalk(seconds: 1200, rateHz: 12.5, stepsPerSecond: 1.5, heels: 0).isTooSmooth)
        #expect(!Self.coarseWalk(seconds: 1200, rateHz: 12.5, stepsPerSecond: 1.5).isTooSmooth)
        #expect(!Self.coarseWalk(seconds: 1200, rateHz: 25, stepsPerSecond: 1.5, heels: 0).isTooSmooth)
    }
}
