import Seeded
import TestBroker
import Testing

@testable import Counter
@testable import Wire

@Suite("What another device recorded")
struct RecordedTimeTests {
    private let bike: DeviceID = "edge-1"
    private static let start = Walk.start / 1_000_000

    private func ride(from first: Int64, seconds: Int, steps: Bool = false) -> MotionRecord {
        var recorded = RecordedSeconds(start: Self.start + first)
        recorded.isOfSteps = steps
        recorded.cadence = [Int?](repeating: 90, count: seconds)
        recorded.watts = [Int?](repeating: 200, count: seconds)
        recorded.bpm = [Int?](repeating: nil, count: seconds / 2) + [Int?](repeating: 150, count: seconds - seconds / 2)
        return MotionRecord(
            device: bike, arrivalMicroseconds: Walk.start + 86_400_000_000, content: .recorded(recorded))
    }

    @Test(
        "An hour counts once, in whatever order its parts come, however often and over restarts",
        arguments: 0..<20 as Range<UInt64>)
    func once(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var run = CountingRun()
        // Parts overlap by a hundred seconds.
        let parts = (0..<7).map { ride(from: Int64($0) * 500, seconds: 600) }
        for record in (parts + parts).shuffled(using: &random) {
            run.count([record])
            if random.next() % 4 == 0 { run.restart() }
        }
        #expect(run.sum(.revolutions) == 3_600 * 90 / 60)
        #expect(run.sum(.active) == 3_600_000 && run.sum(.covered) == 3_600_000_000)
        let seconds = run.totals.values.compactMap { $0.trace?.sum(.power).seconds }.reduce(0, +)
        #expect(seconds == 3_600)
    }

    @Test("Each cadence makes as many turns an hour as it says", arguments: [1, 70, 80, 97])
    func whole(cadence: Int) {
        var time = RecordedTime()
        #expect((0..<3_600).reduce(Int64(0)) { sum, _ in sum + time.count(perMinute: cadence) } == cadence * 60)
    }

    @Test("A walk adds steps")
    func steps() {
        var run = CountingRun()
        run.count([ride(from: 0, seconds: 60, steps: true)])
        #expect(run.sum(.steps) == 90 && run.sum(.revolutions) == 0 && run.sum(.walking) == 60_000)
    }

    @Test("Numbers that nobody has are refused by name, and the others of their second count")
    func absurd() {
        var recorded = RecordedSeconds(start: Self.start)
        recorded.cadence = [300, 301, 90, nil]
        recorded.watts = [2500, 200, 2501, nil]
        recorded.bpm = [19, 150, 251, nil]
        var run = CountingRun()
        run.count([
            MotionRecord(device: bike, arrivalMicroseconds: Walk.start + 86_400_000_000, content: .recorded(recorded))
        ])
        #expect(run.sum(.revolutions) == 6)
        let health = run.live.compactMap { if case .health(let health) = $0.payload { health } else { nil } }.last
        #expect(health?.refusedByReason == [.outOfRange: 1, .absurdPower: 1, .absurdHeartRate: 2])
    }

    @Test("A recording of the future is refused by name")
    func future() {
        var run = CountingRun()
        run.count([ride(from: 90_000, seconds: 60)])
        #expect(run.sum(.revolutions) == 0)
        #expect(run.health?.refusedByReason[.absurdTime] == 1)
    }

    @Test("A batch carries it whole")
    func coded() throws {
        let record = ride(from: 0, seconds: 600)
        var encoder = MotionBatchEncoder()
        let isTaken = encoder.append(record)
        #expect(isTaken)
        let read = try encoder.bytes.withUnsafeBytes { bytes in
            var decoder = try MotionBatchDecoder(bytes)
            return decoder.next()
        }
        #expect(read == record)
    }
}
