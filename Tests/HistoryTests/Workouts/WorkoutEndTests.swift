import MQTT
import TestBroker
import Testing

@testable import History
@testable import Wire

@Suite("The end of a workout", .timeLimit(.minutes(5)))
struct WorkoutEndTests {
    /// 2026-11-20T17:00:00Z
    private static let start: Int64 = 1_795_194_000
    private let bike: DeviceID = "bike-07"
    private let origin = ContinuousClock.now
    private let folder = StoreFolder()

    /// A clock by which a minute passes in half a second.
    private var now: @Sendable () -> Double {
        { [origin] in Double(Self.start) + origin.duration(to: .now) / .seconds(1) * 120 }
    }

    @Test("It is told once on the bus, to the device and to who rode, and not again after a restart or for late data")
    func once() async throws {
        try await withScope { scope in
            let listener = try await scope.listener("stride/+/workout", "stride/person/+/workout")
            try await scope.withHistory(now: now) {
                try await scope.ask(
                    .peopleCheckin,
                    #"{"person":"anna","device":"bike-07","from":\#(Self.start - 3600),"reply_to":"stride/reply/a"}"#)
                try await scope.ride(bike, 0..<10, from: Self.start, after: 0)
                let told = try await listener.wait(for: "stride/bike-07/workout")
                let ride = try Workout(json: told.payload)
                #expect(ride.id.hasPrefix("d.bike-07.") && ride.kind == .ride && ride.revolutions == 840)
                #expect(ride.start == Double(Self.start) && ride.end == Double(Self.start) + 600)
                #expect(ride.persons == [] && !told.isRetained)
                let own = try Workout(json: try await listener.wait(for: "stride/person/anna/workout").payload)
                #expect(own.persons == ["anna"] && own.devices == [bike] && own.revolutions == 840)
            }
            try await scope.withHistory(now: now) {
                try await scope.ride(bike, 10..<12, from: Self.start, after: 10)
                try await scope.ride("bike-08", 5..<15, from: Self.start, after: 12)
                _ = try await listener.wait(for: "stride/bike-08/workout")
            }
            #expect(listener.heard.filter { $0.topic == "stride/bike-07/workout" }.count == 1)
            #expect(listener.heard.count == 3)
        }
    }

    @Test("When it is told it is in the rides of the week, however soon after the last count of them it ended")
    func rides() async throws {
        try await withScope { scope in
            let listener = try await scope.listener("stride/person/anna/day")
            try await scope.withHistory(now: now) {
                for (verb, fields) in [
                    (RequestVerb.peopleCheckin, #""device":"bike-07","from":\#(Self.start - 3600)"#),
                    (.peopleConfigure, #""goal_rides_per_week":3"#),
                ] {
                    try await scope.ask(verb, #"{"person":"anna","reply_to":"stride/reply/a",\#(fields)}"#)
                }
                try await scope.ride(bike, 0..<2, from: Self.start, after: 0)
                try await listener.wait { (try? DayTotals(json: $0.last?.payload ?? []))?.revolutions == 168 }
                try await scope.ride(bike, 2..<10, from: Self.start, after: 2)
                try await listener.wait { (try? DayTotals(json: $0.last?.payload ?? []))?.progress.weekRides == 1 }
            }
        }
    }

    @Test("Marks of a button cut a ride in two, in whatever order and however often they come")
    func marks() async throws {
        try await withScope { scope in
            let listener = try await scope.listener("stride/+/workout")
            try await scope.withHistory(now: now) {
                let cut = Self.start + 270
                for mark in [
                    #"{"kind":"start","t":\#(cut + 1)}"#, #"{"kind":"stop","t":\#(cut)}"#,
                    #"{"kind":"start","t":\#(cut + 1)}"#, #"{"kind":"stop","t":\#(Self.start + 400_000)}"#, "nonsense",
                ] {
                    try await scope.publish(.device(bike, .mark), Array(mark.utf8))
                }
                try await scope.ride(bike, 0..<10, from: Self.start, after: 0)
                try await listener.wait { $0.count >= 2 }
                let rides = try listener.heard.map { try Workout(json: $0.payload) }.sorted { $0.start < $1.start }
                #expect(rides.map { $0.start - Double(Self.start) } == [0, 271])
                #expect(rides.map { $0.end - Double(Self.start) } == [270, 600])
            }
        }
    }

    @Test("It is told when two looks have seen it as it is, and what is a day old is not")
    func looks() {
        var ends = WorkoutEnds()
        func span(_ seconds: Range<Int64>, edge: Bool = false) -> WorkoutSpan {
            var span = WorkoutSpan(seconds, [Movement(seconds, isOfCrank: true)])
            span.hasEdgeAtEnd = edge
            return span
        }
        let subject = Subject.device(bike)
        ends.noteMovement(of: [subject], nowSeconds: 1_000)
        #expect(ends.due(nowSeconds: 1_299) == [] && ends.due(nowSeconds: 1_300) == [subject])
        #expect(ends.due(nowSeconds: 0) == [subject], "a clock that was set back")
        #expect(ends.look(at: [span(0..<1_200)], of: subject, nowSeconds: 1_300) == [])
        #expect(ends.due(nowSeconds: 1_499) == [] && ends.due(nowSeconds: 1_500) == [subject])
        #expect(ends.look(at: [span(0..<1_200)], of: subject, nowSeconds: 1_500) == [])
        // More of it has come.
        #expect(ends.look(at: [span(0..<1_210)], of: subject, nowSeconds: 1_560) == [])
        #expect(ends.look(at: [span(0..<1_210)], of: subject, nowSeconds: 1_620) == [span(0..<1_210)])
        #expect(ends.due(nowSeconds: 90_000) == [])
        ends.noteEdge(of: [subject], nowSeconds: 2_000)
        let (cut, open) = (span(1_300..<1_990, edge: true), span(1_990..<2_050))
        #expect(ends.look(at: [cut, open], of: subject, nowSeconds: 2_060) == [])
        #expect(ends.look(at: [cut, open], of: subject, nowSeconds: 2_120) == [cut])
        #expect(ends.due(nowSeconds: 2_350) == [subject])
        var (told, deleted) = (open, cut)
        (told.isEndTold, deleted.isDeleted) = (true, true)
        for _ in 1...2 { #expect(ends.look(at: [told, deleted], of: subject, nowSeconds: 3_000) == []) }
        for _ in 1...2 { #expect(ends.look(at: [cut], of: subject, nowSeconds: 90_000) == []) }
    }

    @Test("Of who was forgotten meanwhile nothing is noted", arguments: StoreKind.available)
    func forgotten(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        let span = WorkoutSpan(Self.start..<Self.start + 600, [])
        try await store.noteTold([span], isEnd: true, of: .person("Anna"))
        let second = Self.start..<Self.start + 1
        #expect(try await store.marksAndNotes(of: .person("Anna"), [], in: second).notes == [])
    }
}

extension HistoryScope {
    /// Publishes what a counter would of a ride, as a link of its chain.
    fileprivate func ride(
        _ device: DeviceID, _ minutes: Range<Int64>, from start: Int64, after previous: UInt64
    ) async throws {
        let rows = minutes.map { minute in
            let revision = previous + UInt64(minute - minutes.lowerBound) + 1
            return MinuteRow(device, start / 60 + minute, epoch: 7, revision: revision, revolutions: 84)
        }
        let batch = CountsBatch(
            epoch: 7, previousRevision: previous, lastRevision: previous + UInt64(rows.count), rows: rows)
        try await publish(.counts(Partition(of: device)), batch.encoded())
    }
}
