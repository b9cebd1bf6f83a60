import Seeded
import Testing

@testable import Motion

@Suite("Saving and restoring")
struct SaveRestoreTests {
    private static func mixed(sensors: SensorSet) -> [MotionSample] {
        var signal = SyntheticSignal(jitter: 0.3, seed: 41)
        signal.rest(seconds: 2, sensors: sensors)
        signal.walk(seconds: 9, stepsPerSecond: 1.9, sensors: sensors)
        signal.gap(seconds: 3)
        signal.pedal(seconds: 12, .init(rpm: 80, ratio: 3, signalToNoise: 20, sensors: sensors))
        signal.rest(seconds: 3, sensors: sensors)
        return signal.samples
    }

    private static let configurations: [MotionConfiguration] = {
        let settings = try? PrototypeEstimator.Settings(sensor: .acceleration, axis: .y, factor: 0.8, levels: 50)
        return [.pocket, .frame, MotionConfiguration()]
            + (settings.map { [MotionConfiguration(kind: .bike, estimator: .prototype($0))] } ?? [])
            + [MotionConfiguration(kind: .bike, placement: .crank)]
    }()

    @Test("A stream split at any sample, with state saved and restored there, gives the same events", arguments: 0..<5)
    func split(index: Int) throws {
        let configuration = Self.configurations[index]
        let samples = Self.mixed(sensors: [.acceleration, .angularVelocity, .magneticField])
        let whole = PipelineRun(samples, configuration).events
        var generator = SeededGenerator(seed: UInt64(index))
        var pipeline = MotionPipeline(configuration: configuration)
        var events = MotionEvents()
        for sample in samples {
            if Int.random(in: 0..<25, using: &generator) == 0 {
                pipeline = try pipeline.savedAndRestored()
            }
            pipeline.process(sample, into: &events)
        }
        #expect(try pipeline.savedAndRestored().diagnostics == pipeline.diagnostics)
        pipeline.flush(into: &events)
        #expect(Array(events) == whole)
    }

    @Test("The strongest signals that are believed are saved as they are", arguments: 0..<5, [1, 3, 24, 60])
    func strongest(index: Int, samplesPerTurn: Int) throws {
        let configuration = Self.configurations[index]
        let samples = (0..<2_000).map { number in
            let sign: Float = number / samplesPerTurn % 2 == 0 ? 1 : -1
            return MotionSample(
                timeMicroseconds: Int64(number) * 20_000, acceleration: SIMD3(repeating: 1e6 * sign),
                angularVelocity: SIMD3(repeating: 1e6 * sign), magneticField: SIMD3(repeating: 1e6 * sign),
                sensors: [.acceleration, .angularVelocity, .magneticField])
        }
        let whole = PipelineRun(samples, configuration).events
        #expect(try PipelineRun.events(samples, configuration, restoredEvery: 25) == whole)
    }

    @Test("A device that lay still counts the walks after it, restored at any time or not", arguments: 0..<2)
    func still(index: Int) throws {
        let configuration = [.pocket, MotionConfiguration(kind: .wearable)][index]
        var signal = SyntheticSignal(jitter: 0.3, seed: 43)
        for _ in 0..<3 {
            signal.rest(seconds: 33.7, sensors: .sixAxes)
            signal.walk(seconds: 20, stepsPerSecond: 1.9, sensors: .sixAxes)
        }
        signal.rest(seconds: 30, sensors: .sixAxes)
        let whole = PipelineRun(signal.samples, configuration)
        #expect((90...3 * 38).contains(whole.steps))
        #expect(whole.seconds.contains { $0.activity == .stationary && $0.activityConfidence == .high })
        #expect(try PipelineRun.events(signal.samples, configuration, restoredEvery: 47) == whole.events)
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
