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

    @Test("A pipeline is aligned to 16 bytes at most, as the frames of async functions are")
    func alignment() {
        #expect(MemoryLayout<MotionPipeline>.alignment <= 16)
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

    /// A state whose parts were changed, with the checksum that fits.
    private static func sealed(_ bytes: [UInt8]) -> [UInt8] {
        MotionPipeline.sealed(Array(bytes[8..<bytes.count - 8]))
    }

    @Test("Changed bytes under a right checksum are refused or taken, and never trap", arguments: 0..<5)
    func forged(index: Int) throws {
        let samples = Self.mixed(sensors: [.acceleration, .angularVelocity])
        var pipeline = MotionPipeline(configuration: Self.configurations[index])
        var events = MotionEvents()
        for sample in samples.prefix(700) {
            pipeline.process(sample, into: &events)
        }
        var bytes: [UInt8] = []
        pipeline.save(into: &bytes)
        #expect(Self.sealed(bytes) == bytes)
        var generator = SeededGenerator(seed: UInt64(index))
        // The scalars at both ends matter most; the middle is signal.
        let places = (8..<bytes.count).filter { min($0, bytes.count - $0) < 300 || $0 % 19 == 0 }
        for place in places {
            var changed = bytes
            changed[place] = UInt8.random(in: 0...255, using: &generator)
            guard var forged = try? MotionPipeline(restoring: Self.sealed(changed)) else { continue }
            for sample in samples[700..<760] {
                forged.process(sample, into: &events)
            }
            forged.flush(into: &events)
            events.removeAll()
        }
    }

    /// Fields of every kind, with gaps between them.
    private struct Fields: Equatable {
        enum Kind: CaseIterable { case first, second }
        var isTrue = false
        var vector = SIMD4<Float>.zero
        var kind = Kind.first
        var number = 0.0
        var rows: [Float] = [1, 2, 3]
        var single: Float = 0
        var pair: (Int64, UInt8) = (0, 0)
        var count = 0

        static func == (one: Self, other: Self) -> Bool {
            (one.isTrue, one.vector, one.kind, one.number, one.rows, one.single)
                == (other.isTrue, other.vector, other.kind, other.number, other.rows, other.single)
                && one.pair == other.pair && one.count == other.count
        }
    }

    @Test("Fields are found where they lie in memory, without the gaps between them, and arrays are left")
    func layout() {
        let layouts = StateLayouts(revision: 1) { state in
            var fields = Fields()
            state.part(&fields)
        }
        var written = Fields(
            isTrue: true, vector: SIMD4(1, 2, 3, 4), kind: .second, number: 5, rows: [], single: 6, pair: (7, 8),
            count: 9)
        var bytes: [UInt8] = []
        SealedState.append(to: &bytes, layouts) { $0.part(&written) }
        #expect(bytes.count == 8 + (1 + 16 + 1 + 8 + 4 + 9 + 8) + 8)
        var read = Fields()
        #expect(throws: Never.self) { try SealedState.read(bytes, layouts, most: 100) { $0.part(&read) } }
        written.rows = [1, 2, 3]
        #expect(read == written)
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
