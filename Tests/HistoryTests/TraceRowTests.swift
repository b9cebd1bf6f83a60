import TestBroker
import Testing

@testable import History
@testable import Wire

@Suite("The seconds of minutes", .timeLimit(.minutes(5)))
struct TraceRowTests {
    private let bike: DeviceID = "bike-07"
    private let strap: DeviceID = "strap-1"
    private let folder = StoreFolder()
    /// 2026-11-20T17:00:00Z
    private static let start: Int64 = 1_795_194_000 / 60

    private func row(
        _ device: DeviceID, _ minute: Int64, revision: UInt64 = 1, epoch: UInt64 = 1, _ fill: (inout Trace) -> Void
    ) -> MinuteRow {
        var trace = Trace()
        fill(&trace)
        return MinuteRow(device, Self.start + minute, epoch: epoch, revision: revision) { row in
            (row.heart, row.power, row.trace) = (trace.sum(.heart), trace.sum(.power), trace.packed)
            row.counts = device == bike ? Counts([.revolutions: 80, .active: 60_000, .covered: 60_000]) : Counts()
        }
    }

    private func riding(_ minute: Int64, watts: Int, revision: UInt64 = 1) -> MinuteRow {
        row(bike, minute, revision: revision) { trace in
            for second in 0..<60 { (trace[.cadence, second], trace[.power, second]) = (80, watts) }
        }
    }

    private func beating(_ minute: Int64, bpm: Int) -> MinuteRow {
        row(strap, minute) { trace in for second in 0..<60 { trace[.heart, second] = bpm } }
    }

    @Test("A row that comes again changes nothing; a newer one replaces its seconds", arguments: StoreKind.available)
    func replaced(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        _ = try await store.keep([riding(0, watts: 100), riding(1, watts: 110)])
        _ = try await store.keep([riding(0, watts: 200, revision: 2), riding(0, watts: 100)])
        let found = try await store.traces(of: .device(bike), in: Self.start..<Self.start + 10)
        #expect(found.map(\.minute) == [Self.start, Self.start + 1])
        #expect(found.map(\.trace[.power, 30]) == [200, 110])
        let sum = try await store.sums(of: bike, in: [Self.start..<Self.start + 2])[0]
        #expect(sum.power == RateSum(integral: 60 * 310, seconds: 120, minimum: 110, maximum: 200))
    }

    @Test(
        "Of a second that two lives of a counter's store know everybody is told the same",
        arguments: StoreKind.available)
    func epochs(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        let minutes = Self.start..<Self.start + 60
        try await store.checkIn("Anna", bike, minutes)
        _ = try await store.keep((0..<5).map { riding($0, watts: 100) })
        _ = try await store.keep([row(bike, 2, epoch: 2) { $0[.power, 5] = 200 }])
        for subject in [Subject.device(bike), .person("Anna")] {
            let found = try await store.traces(of: subject, in: minutes)
            #expect([4, 5].map { found[2].trace[.power, $0] } == [100, 200])
        }
        let id = WorkoutID(.device(bike), Self.start * 60)
        let data: WorkoutData = try await store.ask(
            .historyWorkout, "{\"id\":\"\(id)\"}", at: Double(Self.start + 62) * 60)
        let watts = try #require(data.watts)
        #expect([124, 125].map { watts[$0] } == [100, 200])
    }

    @Test("A person has the watts of the bike and the beats of the strap", arguments: StoreKind.available)
    func person(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        let minutes = Self.start..<Self.start + 60
        for device in [bike, strap] { try await store.checkIn("Anna", device, minutes) }
        _ = try await store.keep([riding(0, watts: 150), beating(0, bpm: 140), riding(61, watts: 300)])
        let now = Double(Self.start + 62) * 60
        let found = try await store.traces(of: .person("Anna"), in: Self.start..<Self.start + 100)
        #expect(found.map(\.minute) == [Self.start])
        #expect(found.first?.trace[.power, 5] == 150 && found.first?.trace[.heart, 5] == 140)
        #expect(found.first?.trace[.cadence, 5] == 80)
        let interval: IntervalData = try await store.ask(
            .historyInterval, #"{"person":"Anna","from":\#(Self.start * 60),"to":\#((Self.start + 60) * 60)}"#, at: now)
        #expect(interval.power == ReadingFigures(average: 150, maximum: 150, seconds: 60))
        #expect(interval.heart?.average == 140 && interval.revolutions == 80)
        // A strap that was somebody else's after all takes its beats away.
        try await store.checkIn("Ben", strap, minutes)
        let without = try await store.traces(of: .person("Anna"), in: Self.start..<Self.start + 100)
        #expect(without.first?.trace[.heart, 5] == nil && without.first?.trace[.power, 5] == 150)
    }

    @Test(
        "Seconds go when their days are over, and late ones are not kept; the minute stays",
        arguments: StoreKind.available)
    func retention(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        _ = try await store.keep([riding(0, watts: 100), riding(3 * 1440, watts: 120)])
        try await store.dropTraces(before: Self.start + 2 * 1440)
        _ = try await store.keep([riding(1, watts: 130)])
        let found = try await store.traces(of: .device(bike), in: Self.start..<Self.start + 4 * 1440)
        #expect(found.map(\.minute) == [Self.start + 3 * 1440])
        let sum = try await store.sums(of: bike, in: [Self.start..<Self.start + 2])[0]
        #expect(sum.power.seconds == 120 && sum.counts.revolutions == 160)
    }

    @Test("Days whose minutes are gone keep the mean of the power", arguments: StoreKind.available)
    func compacted(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        _ = try await store.keep([riding(0, watts: 100)])
        let day = Self.start - Self.start % 1440
        while try await store.compact(bike, before: day + 10 * 1440) > 0 {}
        #expect(try await store.sums(of: bike, in: [day..<day + 1440])[0].power.mean == 100)
    }
}
