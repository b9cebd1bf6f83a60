import Testing
import Wire

@testable import Counter

@Suite("What a device's health says, in words")
struct DeviceHealthTests {
    /// A minute of a walk in frames of a second, each changed.
    private func run(seconds: Int = 60, _ change: (inout Frame, Int) -> Void) throws -> CountingRun {
        let walk = try Walk()
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

    @Test("Nothing is wrong with a device that does all as it should")
    func fine() throws {
        let health = try #require(run { _, _ in }.health)
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

    @Test(
        "A clock that is not set, or ahead",
        arguments: [(Int64(1_000_000_000_000_000), "is not set"), (Walk.start + 10_800_000_000, "is ahead by 3 h")])
    func clock(start: Int64, words: String) throws {
        let run = try run { frame, second in frame.time = .utc(microseconds: start + Int64(second) * 1_000_000) }
        #expect(run.health?.problem?.contains(words) == true)
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
        #expect(run.sum(\.steps) > 90)
    }

    @Test("Raw numbers of a sensor are no m/s²")
    func rawCounts() throws {
        let run = try run { frame, _ in frame.values = frame.values.map { $0 * 100 } }
        #expect(run.health?.problem?.contains("beyond what sensors measure") == true)
    }

    @Test("A config that cannot be read is told until one comes that can, and the one before stays in force")
    func config() throws {
        var run = try run { _, _ in }
        let device = try Walk().device
        run.pipeline.refuseConfig(.outOfRange, "'kind' is \"boat\": give bike, wearable or unknown", of: device)
        run.tick(Walk.start + 70_000_000)
        run.tick(Walk.start + 300_000_000)
        #expect(run.health?.problem == "the config is refused: 'kind' is \"boat\": give bike, wearable or unknown")
        run.configure(device, DeviceConfig())
        run.tick(Walk.start + 400_000_000)
        #expect(run.health?.ok == true)
    }

    @Test("Another estimator counts from the next frame on, and so does the one before when it is back")
    func estimator() throws {
        let ride = try CrankRide(start: Walk.start)
        var run = CountingRun()
        run.count(ride.records(seconds: 0..<60))
        let periodic = run.sum(\.revolutions)
        var config = DeviceConfig()
        config.estimator = .prototype
        // The rate of rotation of an even ride is constant, so the prototype's rule sees nothing in it.
        config.prototype = PrototypeConfig(sensor: .angularVelocity, axis: .z, f: 0.9, q: 100)
        run.configure(ride.device, config)
        run.count(ride.records(seconds: 60..<120))
        let prototype = run.sum(\.revolutions)
        run.configure(ride.device, DeviceConfig())
        run.count(ride.records(seconds: 120..<180))
        run.finish()
        #expect(periodic > 50)
        #expect(prototype - periodic < 10)
        #expect(run.sum(\.revolutions) - prototype > 50)
    }
}
