import Testing

@testable import Counter
@testable import Wire

@Suite("What a device's health says, in words")
struct DeviceHealthTests {
    /// A minute of a walk in frames of a second, each changed.
    private func run(seconds: Int = 60, _ change: (inout Frame, Int) -> Void) throws -> CountingRun {
        let walk = Walk()
        var run = CountingRun()
        for second in 0..<seconds {
            var frame = walk.frame(second * 50..<(second + 1) * 50, sequence: UInt64(second))
            change(&frame, second)
            guard frame.sampleCount > 0 else { continue }
            let arrival = Walk.start + Int64(second + 1) * 1_000_000
            run.count([MotionRecord(device: walk.device, arrivalMicroseconds: arrival, content: .frame(frame))])
            run.tick(arrival)
        }
        return run
    }

    @Test("What a process may not have told before it died is told by the next one")
    func afterDeath() {
        var pipeline = CounterPipeline()
        let refusal = MotionContent.refusal(.malformed, count: 3)
        let record = MotionRecord(device: Walk().device, arrivalMicroseconds: Walk.start, content: refusal)
        pipeline.accept(record, replayedFrom: 1)
        _ = pipeline.takeLive()
        pipeline.repeatAfterRestart()
        pipeline.measureSilence(from: Walk.start + 1_000_000)
        let told = pipeline.takeLive().compactMap { if case .health(let health) = $0.payload { health } else { nil } }
        #expect(told.map(\.refused) == [3] && told.first?.ok == false)
    }

    @Test("Nothing is wrong with a device that does all as it should")
    func fine() throws {
        let run = try run { frame, _ in
            frame.sensors = [.acceleration, .angularVelocity]
            frame.values = stride(from: 0, to: frame.values.count, by: 3).flatMap { row in
                frame.values[row..<row + 3] + [0.1, 0, 0]
            }
        }
        let health = try #require(run.health)
        #expect(health.ok && health.problem == nil && health.note == nil)
    }

    @Test("Samples that come too slowly")
    func slow() throws {
        let run = try run { frame, _ in
            frame.timing = .uniform(periodNanoseconds: 200_000_000)
            frame.sampleCount = 5
            frame.values = Array(frame.values.prefix(15))
        }
        #expect(run.health?.problem?.contains("too slowly") == true)
    }

    @Test("Acceleration in whole halves of g")
    func coarse() throws {
        let run = try run(seconds: 120) { frame, _ in
            frame.values = frame.values.map { ($0 / 4.9).rounded(.toNearestOrEven) * 4.9 }
        }
        #expect(run.health?.problem?.contains("rounded too coarsely") == true)
    }

    @Test(
        "A clock that is not set, or ahead",
        arguments: [(Int64(1_000_000_000_000_000), "is not set"), (Walk.start + 10_800_000_000, "is ahead by 3 h")])
    func clock(start: Int64, words: String) throws {
        let run = try run { frame, second in frame.time = .utc(microseconds: start + Int64(second) * 1_000_000) }
        #expect(run.health?.problem?.contains(words) == true)
    }

    @Test("A clock that is behind, always by as much, but not frames that were kept back and catch up")
    func behind() throws {
        func run(_ lag: (Int64) -> Int64) throws -> CountingRun {
            try self.run { frame, second in
                frame.time = .utc(microseconds: Walk.start + Int64(second) * 1_000_000 - lag(Int64(second)))
            }
        }
        let behind = try run { _ in 10_800_000_000 }.health
        #expect(behind?.problem?.contains("clock is behind by 3 h") == true)
        #expect(try run { second in 10_800_000_000 - second * 170_000_000 }.health?.problem == nil)
    }

    @Test("What frames cannot tell: their time, their number, acceleration")
    func shortcomings() throws {
        var hash: UInt64 = 0
        let bare = try run { frame, _ in
            hash += 1
            frame.identity = .unsequenced(contentHash: hash)
            frame.time = .absent
        }
        #expect(bare.health?.ok == true)
        #expect(bare.health?.note?.contains("neither time nor number") == true)
        #expect(bare.health?.timeFrom == .arrival)
        let timeless = try run { frame, _ in frame.time = .absent }
        #expect(timeless.health?.note?.contains("carry no time") == true)
        #expect(timeless.health?.timeFrom != .device)
        let numberless = try run { frame, second in frame.identity = .unsequenced(contentHash: UInt64(second)) }
        #expect(numberless.health?.note?.contains("carry no number") == true)
        let still = try run { _, _ in }
        #expect(still.health?.note == "no gyroscope: revolutions are counted less surely")
        let turning = try run { frame, _ in frame.sensors = .angularVelocity }
        #expect(turning.health?.note?.contains("no acceleration comes") == true)
        #expect(turning.health?.sensors == ["gyro"])
    }

    @Test("The rate and the sensors as they come; a device that counts itself has none")
    func facts() throws {
        let walk = try #require(run { _, _ in }.health)
        #expect(walk.rateHz == 50 && walk.sensors == ["acc"] && walk.timeFrom == .device && walk.selfCounted == nil)
        var counts = CountingRun()
        let steps = DeviceStepCount(
            kind: .day, steps: 8123, startMicroseconds: Walk.start, endMicroseconds: Walk.start,
            boot: BootID(rawValue: 0))
        counts.count([
            MotionRecord(device: Walk().device, arrivalMicroseconds: Walk.start, content: .steps(steps))
        ])
        counts.tick(Walk.start + 2_000_000)
        #expect(counts.health?.selfCounted == .steps && counts.health?.sensors == nil)
        #expect(counts.health?.note?.contains("counts by itself") == true)
    }

    @Test("Frames that never came")
    func missing() throws {
        let run = try run { frame, second in
            if second == 55 { frame.removeAll() }
        }
        #expect(run.health?.problem == "frames are missing")
        #expect(run.health?.missing == 1)
    }

    @Test("Acceleration in g is counted, and noted")
    func standardGravities() throws {
        let run = try run { frame, _ in frame.values = frame.values.map { $0 / 9.80665 } }
        #expect(run.health?.ok == true)
        #expect(run.health?.note?.contains("in g") == true)
        #expect(run.sum(.steps) > 90)
    }

    @Test("Raw numbers of a sensor are no m/s²")
    func rawCounts() throws {
        let run = try run { frame, _ in frame.values = frame.values.map { $0 * 100 } }
        #expect(run.health?.problem?.contains("beyond what sensors measure") == true)
    }

    @Test("However much there is to say of a device, its health can be read")
    func long() throws {
        var run = CountingRun()
        let device = Walk().device
        let words = [(1000, 0), (1010, 10), (1010, 10), (1005, 5), (1006, 20), (1020, 30), (5, 40), (8, 50), (12, 60)]
        for (index, word) in words.enumerated() {
            let arrival = Walk.start + Int64(index) * 10_000_000
            let count = try DeviceStepCount(
                .boot, steps: UInt64(word.0), atMicroseconds: Walk.start + Int64(word.1) * 1_000_000)
            run.count([MotionRecord(device: device, arrivalMicroseconds: arrival, content: .steps(count))])
            run.tick(arrival)
        }
        run.pipeline.refuseConfig(.outOfRange, String(repeating: "e\u{301}", count: 100), of: device)
        run.tick(Walk.start + 400_000_000)
        let health = try #require(run.health)
        #expect(health.uncounted.count == 3 && health.note?.contains("began anew") == true && !health.ok)
        #expect(try DeviceHealth(json: health.encodedJSON()).uncounted == health.uncounted)
    }

    @Test("A config that cannot be read is told until one comes that can, and the one before stays in force")
    func config() throws {
        var run = try run { _, _ in }
        let device = Walk().device
        run.pipeline.refuseConfig(.outOfRange, "'kind' is \"boat\": give bike, wearable or unknown", of: device)
        run.tick(Walk.start + 70_000_000)
        run.tick(Walk.start + 300_000_000)
        #expect(run.health?.problem == "the config is refused: 'kind' is \"boat\": give bike, wearable or unknown")
        run.configure(device, DeviceConfig())
        run.tick(Walk.start + 400_000_000)
        #expect(run.health?.ok == true)
    }

    @Test("A config's mistake is told again of a device that was forgotten and is back, and the mended one is taken")
    func configOfForgotten() throws {
        var (run, device) = (CountingRun(), Walk().device)
        let config = try Array(#"{"zone":"Europe/Berlni"}"#.utf8).withUnsafeBytes { try DeviceConfig(json: $0) }
        run.configure(device, config)
        run.pipeline.forget(device)
        run.count(Walk().records(seconds: 0..<2))
        run.tick(Walk.start + 70_000_000)
        #expect(run.health?.problem?.contains("Berlni") == true)
        let areNews = (0..<2).map { _ in run.pipeline.configure(device: device, DeviceConfig()) }
        #expect(areNews == [true, false])
    }

    @Test("Another estimator counts from the next frame on, and so does the one before when it is back")
    func estimator() throws {
        let ride = CrankRide(start: Walk.start)
        var run = CountingRun()
        run.count(ride.records(seconds: 0..<60))
        let periodic = run.sum(.revolutions)
        var config = DeviceConfig()
        config.estimator = .prototype
        // The rate of rotation of an even ride is constant, so the prototype's rule sees nothing in it.
        var rule = PrototypeConfig()
        (rule.sensor, rule.axis, rule.f, rule.q) = (.angularVelocity, .z, 0.9, 100)
        config.prototype = rule
        run.configure(ride.device, config)
        run.count(ride.records(seconds: 60..<120))
        let prototype = run.sum(.revolutions)
        run.configure(ride.device, DeviceConfig())
        run.count(ride.records(seconds: 120..<180))
        run.finish()
        #expect(periodic > 50)
        #expect(prototype - periodic < 10)
        #expect(run.sum(.revolutions) - prototype > 50)
    }
}
