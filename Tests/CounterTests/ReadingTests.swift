import TestBroker
import Testing

@testable import Counter
@testable import Wire

@Suite("Heart rate and power")
struct ReadingTests {
    private let bike: DeviceID = "bike-1"

    private func reading(_ kind: Reading.Kind, _ value: Float, second: Double, at device: DeviceID = "bike-1")
        -> MotionRecord
    {
        let time = Walk.start + Int64(second * 1_000_000)
        let reading = Reading(
            kind, value, identity: .unsequenced(contentHash: UInt64(bitPattern: time)), time: .utc(microseconds: time))
        return MotionRecord(device: device, arrivalMicroseconds: time, content: .reading(reading))
    }

    private func trace(_ run: CountingRun, minute: Int64 = 0) -> Trace {
        run.totals[.init(device: bike, minute: Walk.start / 60_000_000 + minute)]?.trace ?? Trace()
    }

    @Test("A minute has the mean, the highest and the known seconds of what a sensor tells once a second")
    func minute() {
        var run = CountingRun()
        let records = (0..<60).flatMap { second in
            [
                reading(.power, Float(100 + second), second: Double(second) + 0.2),
                reading(.heart, 140, second: Double(second) + 0.3),
            ]
        }
        run.count(records)
        run.restart()
        run.count(records)
        #expect(trace(run).sum(.power) == RateSum(integral: 7_770, seconds: 60, minimum: 100, maximum: 159))
        #expect(trace(run).sum(.heart) == RateSum(integral: 8_400, seconds: 60, minimum: 140, maximum: 140))
    }

    @Test("A reading is known for the time since the one before, at most five seconds; one alone for its second")
    func held() {
        var run = CountingRun()
        run.count([
            reading(.heart, 100, second: 10), reading(.heart, 110, second: 13), reading(.heart, 120, second: 40),
        ])
        let seconds = (0..<60).filter { trace(run)[.heart, $0] != nil }
        #expect(seconds == [10, 11, 12, 13, 36, 37, 38, 39, 40])
        #expect(trace(run)[.heart, 12] == 110 && trace(run)[.heart, 36] == 120)
    }

    @Test(
        "What no body has is refused by name, and what comes next is taken",
        arguments: [
            (Reading.Kind.heart, Float(0)), (.heart, 255), (.heart, .nan), (.power, -32_768), (.power, 4_000),
            (.power, .infinity),
        ])
    func absurd(kind: Reading.Kind, value: Float) {
        var run = CountingRun()
        run.count([reading(kind, value, second: 1), reading(kind, 120, second: 4)])
        #expect(trace(run).sum(kind == .heart ? .heart : .power).seconds == 1)
        #expect(run.health?.refused == 1)
        #expect(run.health?.problem?.contains(kind == .heart ? "heart rate" : "power") == true)
    }

    @Test("A meter that tells a little less than nothing tells nothing, and no power before the first is one")
    func slightlyNegative() {
        var run = CountingRun()
        run.count([reading(.power, -3, second: 1), reading(.power, 0, second: 2)])
        #expect(trace(run).sum(.power) == RateSum())
        run.count([reading(.power, 100, second: 3)])
        run.restart()
        run.count([reading(.power, -3, second: 4), reading(.power, 0, second: 5)])
        #expect(trace(run).sum(.power) == RateSum(integral: 100, seconds: 3, minimum: 100, maximum: 100))
    }

    @Test("Live reports come once a second, whatever the sensor does")
    func live() {
        var run = CountingRun()
        for tenth in 0..<100 { run.count([reading(.power, 200, second: Double(tenth) / 10)]) }
        let reports = run.live.compactMap { if case .power(let report) = $0.payload { report } else { nil } }
        #expect((10...20).contains(reports.count) && reports.allSatisfy { $0.watts == 200 })
    }

    @Test("The seconds of a signal's cadence are in its trace, those of a pause in it as well")
    func cadence() throws {
        let ride = CrankRide(start: Walk.start)
        var run = CountingRun()
        for record in ride.records(seconds: 0..<60) { run.count([record]) }
        run.finish()
        let sum = trace(run).sum(.cadence)
        #expect(sum.seconds >= 50)
        #expect(try abs(#require(sum.mean) - 66) < 8)
        #expect(!trace(run).isOfSteps)
    }

    @Test("A sample's second comes before the device's own, which fills the gaps")
    func bothOrigins() {
        var counted = MinuteIncrement(device: bike, minute: 0)
        var own = MinuteIncrement(device: bike, minute: 0, origin: .device)
        counted.note(.cadence, 80, second: 1)
        own.note(.cadence, 90, second: 1)
        own.note(.cadence, 91, second: 2)
        own.note(.heart, 130, second: 1)
        let row = MinuteRow(counted.filled(with: own), epoch: 1, revision: 1)
        let trace = Trace(packed: row.trace)
        #expect(trace?[.cadence, 1] == 80 && trace?[.cadence, 2] == 91 && trace?[.heart, 1] == 130)
        #expect(row.heart.seconds == 1)
    }

    @Test("Of a part of a minute that both tell, the device's own turns count only in seconds without samples")
    func overlap() {
        func minute(_ origin: MinuteIncrement.Origin, turns: Int64, _ seconds: Range<Int>) -> MinuteIncrement {
            var increment = MinuteIncrement(device: bike, minute: 0, origin: origin)
            increment.add(.revolutions, Quantity(turns))
            increment.add(.covered, Quantity(Int64(seconds.count) * 1_000_000))
            for second in seconds { increment.note(.cadence, 60, second: second) }
            return increment
        }
        let samples = minute(.samples, turns: 20, 10..<30)
        #expect(samples.filled(with: minute(.device, turns: 20, 10..<30))[.revolutions] == 20)
        #expect(samples.filled(with: minute(.device, turns: 30, 10..<40))[.revolutions] == 30)
        #expect(samples.filled(with: minute(.device, turns: 20, 40..<60))[.revolutions] == 40)
        var steps = minute(.device, turns: 0, 10..<11)
        steps.add(.steps, 600)
        #expect(samples.filled(with: steps)[.steps] == 399)
    }

    @Test("A store keeps the seconds of every commit of a minute")
    func stored() async throws {
        let store = try CounterStore(inMemory: 7)
        for second in 0..<3 {
            var increment = MinuteIncrement(device: bike, minute: 30_000_000, origin: .device)
            increment.note(.power, Float(100 * second), second: second)
            increment.note(.heart, 150, second: second)
            try await store.commit(CounterCommit([increment]), nowMicroseconds: 0)
        }
        let row = try #require(try await store.counts(after: 0)?.rows.last)
        #expect(row.power == RateSum(integral: 300, seconds: 3, minimum: 100, maximum: 200))
        #expect(row.heart.seconds == 3)
        let encoded = CountsBatch(epoch: 7, previousRevision: 0, lastRevision: row.revision, rows: [row]).encoded()
        #expect(try encoded.withUnsafeBytes { try CountsBatch(decoding: $0) }.rows == [row])
    }
}
