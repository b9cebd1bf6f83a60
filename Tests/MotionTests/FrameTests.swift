import Seeded
import Motion
import Testing

/// A frame at once must count as its samples one by one do, whatever is in it.
@Suite("Frames")
struct FrameTests {
    private static let configurations: [MotionConfiguration] = {
        let settings = try? PrototypeEstimator.Settings(sensor: .acceleration, axis: .y, factor: 0.8, levels: 50)
        return [.pocket, MotionConfiguration(kind: .wearable, placement: .wrist), .frame]
            + (settings.map { [MotionConfiguration(kind: .bike, estimator: .prototype($0))] } ?? [])
            + [MotionConfiguration()]
    }()

    private static let sensorSets: [SensorSet] = [
        [.acceleration, .angularVelocity], [.acceleration, .angularVelocity, .magneticField], .acceleration,
    ]

    /// Walking, a gap, pedalling and rest, of one rate and jitter.
    private static func signal(sensors: SensorSet, rateHz: Double, jitter: Double, seed: UInt64) -> [MotionSample] {
        var signal = SyntheticSignal(rateHz: rateHz, jitter: jitter, seed: seed)
        signal.rest(seconds: 2, sensors: sensors)
        signal.walk(seconds: 12, stepsPerSecond: 1.9, sensors: sensors)
        signal.gap(seconds: 3)
        signal.pedal(seconds: 12, .init(rpm: 80, ratio: 3, signalToNoise: 20, sensors: sensors))
        signal.rest(seconds: 3, sensors: sensors)
        return signal.samples
    }

    /// What is said of samples in frames of random lengths, and the state then.
    private static func runByFrame(
        _ samples: [MotionSample], _ configuration: MotionConfiguration, seed: UInt64
    ) -> (events: [MotionEvent], state: [UInt8]) {
        var generator = SeededGenerator(seed: seed)
        var pipeline = MotionPipeline(configuration: configuration)
        var events = MotionEvents()
        var start = 0
        while start < samples.count {
            let end = min(start + Int.random(in: 1...60, using: &generator), samples.count)
            pipeline.process(samples.span.extracting(start..<end), into: &events)
            start = end
        }
        return (Array(events), saved(pipeline))
    }

    private static func runOneByOne(
        _ samples: [MotionSample], _ configuration: MotionConfiguration
    ) -> (events: [MotionEvent], state: [UInt8]) {
        var pipeline = MotionPipeline(configuration: configuration)
        var events = MotionEvents()
        for sample in samples { pipeline.process(sample, into: &events) }
        return (Array(events), saved(pipeline))
    }

    private static func saved(_ pipeline: MotionPipeline) -> [UInt8] {
        var bytes: [UInt8] = []
        pipeline.save(into: &bytes)
        return bytes
    }

    @Test(
        "Frames of any length say what their samples say one by one, and leave the same state", arguments: 0..<5, 0..<3)
    func alike(configuration: Int, sensors: Int) {
        for (seed, rateHz) in [(UInt64(1), 10.0), (2, 25), (3, 50), (4, 104), (5, 400)] {
            let samples = Self.signal(sensors: Self.sensorSets[sensors], rateHz: rateHz, jitter: 0.3, seed: seed)
            let single = Self.runOneByOne(samples, Self.configurations[configuration])
            let framed = Self.runByFrame(samples, Self.configurations[configuration], seed: seed)
            #expect(framed.events == single.events)
            #expect(framed.state == single.state)
        }
    }

    @Test("So do frames with samples that are left out, clipped, late, or of other sensors", arguments: 0..<5)
    func unusual(configuration: Int) {
        var generator = SeededGenerator(seed: UInt64(configuration))
        var samples = Self.signal(
            sensors: [.acceleration, .angularVelocity, .magneticField], rateHz: 50, jitter: 0.3, seed: 7)
        for index in samples.indices {
            switch Int.random(in: 0..<60, using: &generator) {
            case 0: samples[index].acceleration.x = .nan
            case 1: samples[index].angularVelocity.y = 1e6
            case 2: samples[index].timeMicroseconds -= 100_000
            case 3: samples[index].timeMicroseconds = .max
            case 4: samples[index].timeMicroseconds = .min
            case 5: samples[index].sensors = []
            case 6: samples[index].sensors = .angularVelocity
            case 7: samples[index].sensors = SensorSet(rawValue: 0x81)
            default: if index / 300 % 2 == 0 { samples[index].sensors.remove(.magneticField) }
            }
        }
        let single = Self.runOneByOne(samples, Self.configurations[configuration])
        for seed in UInt64(0)..<8 {
            let framed = Self.runByFrame(samples, Self.configurations[configuration], seed: seed)
            #expect(framed.events == single.events)
            #expect(framed.state == single.state)
        }
    }
}
