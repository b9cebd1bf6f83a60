import Seeded
import Testing

@testable import Motion

/// How a signal is cut into frames, and when its state is saved and restored, must not matter.
@Suite("Frames, saved and restored")
struct SaveRestoreTests {
    private static let all: SensorSet = [.acceleration, .angularVelocity, .magneticField]
    private static let configurations: [MotionConfiguration] = {
        let settings = try? PrototypeEstimator.Settings(sensor: .acceleration, axis: .y, factor: 0.8, levels: 50)
        return [.pocket, .wrist, .frame, MotionConfiguration()]
            + (settings.map { [MotionConfiguration(kind: .bike, estimator: .prototype($0))] } ?? [])
            + [MotionConfiguration(kind: .bike, placement: .crank)]
    }()

    /// Walking, a gap, pedalling and rest, of one rate and jitter.
    private static func mixed(sensors: SensorSet = all, rateHz: Double = 50, seed: UInt64) -> [MotionSample] {
        var signal = SyntheticSignal(rateHz: rateHz, jitter: 0.3, seed: seed)
        signal.rest(seconds: 2, sensors: sensors)
        signal.walk(seconds: 12, stepsPerSecond: 1.9, sensors: sensors)
        signal.gap(seconds: 3)
        signal.pedal(seconds: 12, .init(rpm: 80, ratio: 3, signalToNoise: 20, sensors: sensors))
        signal.rest(seconds: 3, sensors: sensors)
        return signal.samples
    }

    /// What is said of samples in frames of up to so many, and the state then; now and then it is saved and restored.
    private static func run(
        _ samples: [MotionSample], _ configuration: MotionConfiguration, longest: Int, seed: UInt64 = 0
    ) throws -> (events: [MotionEvent], state: [UInt8]) {
        var generator = SeededGenerator(seed: seed)
        var pipeline = MotionPipeline(configuration: configuration)
        var events = MotionEvents()
        var start = 0
        while start < samples.count {
            let end = min(start + Int.random(in: 1...longest, using: &generator), samples.count)
            pipeline.process(samples.span.extracting(start..<end), into: &events)
            start = end
            if longest > 1, Int.random(in: 0..<5, using: &generator) == 0 {
                let restored = try pipeline.savedAndRestored()
                #expect(restored.diagnostics == pipeline.diagnostics)
                pipeline = restored
            }
        }
        var state: [UInt8] = []
        pipeline.save(into: &state)
        pipeline.flush(into: &events)
        return (Array(events), state)
    }

    private static func expectAlike(
        _ samples: [MotionSample], _ configuration: MotionConfiguration, seeds: Range<UInt64>
    ) throws {
        let single = try run(samples, configuration, longest: 1)
        for seed in seeds {
            let framed = try run(samples, configuration, longest: 60, seed: seed)
            #expect(framed.events == single.events)
            #expect(framed.state == single.state)
        }
    }

    @Test(
        "Frames of any length say what their samples say one by one, and leave the same state",
        arguments: configurations, [[.acceleration, .angularVelocity], all, .acceleration])
    func alike(configuration: MotionConfiguration, sensors: SensorSet) throws {
        for (seed, rateHz) in [(UInt64(1), 10.0), (2, 25), (3, 50), (4, 104), (5, 400)] {
            try Self.expectAlike(
                Self.mixed(sensors: sensors, rateHz: rateHz, seed: seed), configuration, seeds: seed..<seed + 1)
        }
    }

    @Test("So do frames with samples that are left out, clipped, late, or of other sensors", arguments: configurations)
    func unusual(configuration: MotionConfiguration) throws {
        var generator = SeededGenerator(seed: 7)
        var samples = Self.mixed(seed: 7)
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
        try Self.expectAlike(samples, configuration, seeds: 0..<8)
    }

    @Test(
        "So do the strongest signals that are believed", arguments: configurations, [1, 3, 24, 60])
    func strongest(configuration: MotionConfiguration, samplesPerTurn: Int) throws {
        let samples = (0..<2_000).map { number in
            let sign: Float = number / samplesPerTurn % 2 == 0 ? 1 : -1
            return MotionSample(
                timeMicroseconds: Int64(number) * 20_000, acceleration: SIMD3(repeating: 1e6 * sign),
                angularVelocity: SIMD3(repeating: 1e6 * sign), magneticField: SIMD3(repeating: 1e6 * sign),
                sensors: Self.all)
        }
        try Self.expectAlike(samples, configuration, seeds: 0..<1)
    }

    @Test(
        "A device that lay still counts the walks after it, restored at any time or not",
        arguments: [.pocket, MotionConfiguration(kind: .wearable)])
    func still(configuration: MotionConfiguration) throws {
        var signal = SyntheticSignal(jitter: 0.3, seed: 43)
        for _ in 0..<3 {
            signal.rest(seconds: 33.7, sensors: .sixAxes)
            signal.walk(seconds: 20, stepsPerSecond: 1.9, sensors: .sixAxes)
        }
        signal.rest(seconds: 30, sensors: .sixAxes)
        let whole = PipelineRun(signal.samples, configuration)
        #expect((90...3 * 38).contains(whole.steps))
        #expect(whole.seconds.contains { $0.activity == .stationary && $0.activityConfidence == .high })
        try Self.expectAlike(signal.samples, configuration, seeds: 0..<1)
    }

    @Test("Saving appends and restoring takes a slice")
    func slice() throws {
        let pipeline = MotionPipeline(configuration: .frame)
        var bytes: [UInt8] = [1, 2, 3]
        pipeline.save(into: &bytes)
        #expect(bytes.prefix(3) == [1, 2, 3])
        let restored = try MotionPipeline(restoring: bytes.dropFirst(3))
        #expect(restored.configuration == .frame)
    }

    @Test("The state of another layout is refused, and never misread")
    func otherLayout() {
        var bytes: [UInt8] = []
        MotionPipeline(configuration: .pocket).save(into: &bytes)
        for place in 0..<8 {
            var other = bytes
            other[place] ^= 1
            #expect(throws: MotionStateError.otherLayout) { try MotionPipeline(restoring: other) }
        }
    }

    @Test("Damaged bytes are refused with a reason")
    func damage() {
        var bytes: [UInt8] = []
        MotionPipeline(configuration: .pocket).save(into: &bytes)
        #expect(throws: MotionStateError.wrongLength(0)) { try MotionPipeline(restoring: [UInt8]()) }
        #expect(throws: MotionStateError.wrongChecksum) { try MotionPipeline(restoring: bytes.dropLast()) }
        for index in stride(from: 8, to: bytes.count, by: 97) {
            var changed = bytes
            changed[index] ^= 0x10
            #expect(throws: MotionStateError.wrongChecksum) { try MotionPipeline(restoring: changed) }
        }
        let long = [UInt8](repeating: 1, count: 10_000)
        #expect(throws: MotionStateError.wrongLength(10_000)) { try MotionPipeline(restoring: long) }
    }
}
