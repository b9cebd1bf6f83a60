import Seeded
import Testing
import Wire

@testable import History

/// Workouts from movement, marks and notes, without a store.
@Suite("Workouts follow from movement and marks")
struct WorkoutTests {
    /// 2026-11-20T17:00:00Z
    static let start: Int64 = 1_795_194_000

    private func ride(_ seconds: Range<Int64>) -> Movement { Movement(Self.at(seconds), isOfCrank: true) }
    private func walk(_ seconds: Range<Int64>) -> Movement { Movement(Self.at(seconds), isOfCrank: false) }
    private static func at(_ seconds: Range<Int64>) -> Range<Int64> {
        start + seconds.lowerBound..<start + seconds.upperBound
    }
    private func find(
        _ movements: [Movement], _ marks: [(Int64, WorkoutMark.Kind)] = [], cuts: Set<Int64> = [],
        notes: [WorkoutNote] = []
    ) -> [Range<Int64>] {
        spans(movements, marks, cuts: cuts, notes: notes).map {
            $0.seconds.lowerBound - Self.start..<$0.seconds.upperBound - Self.start
        }
    }
    private func spans(
        _ movements: [Movement], _ marks: [(Int64, WorkoutMark.Kind)] = [], cuts: Set<Int64> = [],
        notes: [WorkoutNote] = []
    ) -> [WorkoutSpan] {
        Workouts.find(
            movements, marks: marks.map { WorkoutMark(Self.start + $0.0, $0.1) },
            cuts: Set(cuts.map { Self.start + $0 }), notes: notes)
    }

    @Test("Three minutes are a workout and less is none; five minutes of rest are a pause and more are an end")
    func lengths() {
        #expect(find([ride(10..<190)]) == [10..<190])
        #expect(find([ride(10..<189)]) == [])
        #expect(find([ride(0..<100), ride(400..<500)]) == [0..<500])
        #expect(find([ride(0..<200), ride(501..<701)]) == [0..<200, 501..<701])
        #expect(spans([ride(0..<100), ride(400..<500)]).first?.pauses == [Self.at(100..<400)])
    }

    @Test("The walk to a ride and from it is another workout, and one in its pause is none")
    func walks() {
        #expect(find([walk(0..<400), ride(450..<1000), walk(1020..<1400)]) == [0..<400, 450..<1000, 1020..<1400])
        #expect(find([ride(0..<400), walk(410..<600), ride(650..<1000)]) == [0..<1000])
        #expect(find([walk(0..<400), ride(450..<500), walk(510..<900)]) == [0..<900])
    }

    @Test("Somebody else's check-in is an end, with or without a pause")
    func checkIns() {
        #expect(find([ride(0..<1000)], cuts: [420]) == [0..<420, 420..<1000])
        #expect(find([ride(0..<400), ride(500..<1000)], cuts: [420]) == [0..<400, 500..<1000])
        #expect(find([ride(0..<1000)], cuts: [120]) == [120..<1000])
    }

    @Test("A start and a stop are the edges, however short it is and whatever moved between")
    func windows() {
        #expect(find([ride(0..<1000)], [(100, .start), (160, .stop)]) == [100..<160, 160..<1000])
        #expect(find([ride(0..<100), ride(900..<1000)], [(-30, .start), (1200, .stop)]) == [-30..<1200])
        #expect(find([walk(0..<400), ride(450..<1000)], [(0, .start), (1000, .stop)]) == [0..<1000])
        #expect(find([], [(0, .start), (1000, .stop)]) == [])
    }

    @Test("A start without a stop begins a workout there, and a stop without a start ends one")
    func loneMarks() {
        #expect(find([ride(100..<1000)], [(40, .start)]) == [40..<1000])
        #expect(find([ride(100..<150)], [(40, .start)]) == [40..<150])
        #expect(find([walk(50..<90), ride(120..<1000)], [(40, .start)]) == [40..<1000])
        #expect(find([ride(0..<1000)], [(400, .start)]) == [0..<400, 400..<1000])
        #expect(find([ride(0..<900)], [(1000, .stop)]) == [0..<1000])
        #expect(find([ride(0..<900)], [(1300, .stop)]) == [0..<900])
        #expect(find([ride(0..<900)], [(600, .stop)]) == [0..<600, 600..<900])
    }

    @Test("A toggle is a start and then a stop; one that bounced is none, and one after a forgotten one begins anew")
    func toggles() {
        #expect(find([ride(0..<900)], [(100, .toggle), (200, .toggle)]) == [100..<200, 200..<900])
        #expect(
            find([ride(0..<900)], [(100, .toggle), (101, .toggle), (200, .toggle), (201, .toggle)])
                == [100..<200, 200..<900])
        #expect(
            find([ride(0..<900), ride(9000..<9900)], [(0, .toggle), (8990, .toggle), (9950, .toggle)])
                == [0..<900, 8990..<9950])
        #expect(find([ride(0..<900)], [(100, .start), (200, .toggle)]) == [100..<200, 200..<900])
    }

    @Test("A workout is cut and joined again, and a joined one cut elsewhere")
    func edits() {
        let rides = [ride(0..<300), ride(1000..<1300)]
        #expect(find(rides, [(999, .join)]) == [0..<1300])
        #expect(find(rides, [(100, .cut)]) == [0..<100, 100..<300, 1000..<1300])
        #expect(find(rides, [(100, .cut), (99, .join)]) == [0..<300, 1000..<1300])
        #expect(find(rides, [(999, .join), (100, .cut)]) == [0..<100, 100..<1300])
        #expect(find(rides, [(100, .start), (200, .stop), (150, .cut)]) == [100..<150, 150..<200, 1000..<1300])
        #expect(find([ride(0..<300), ride(90_000..<90_300)], [(89_999, .join)]).count == 2)
    }

    @Test("What was said last of a workout counts, its first id stays, and what was not said stays as it was")
    func notes() throws {
        var (first, second) = (WorkoutNote(Self.start + 50, title: "Hills"), WorkoutNote(Self.start + 20))
        (first.saidSecond, second.saidSecond) = (5, 9)
        second.kind = .walk
        // The start has moved to before the first id.
        let span = try #require(spans([ride(0..<900)], notes: [first, second]).first)
        #expect(span.title == "Hills" && span.kind == .walk && span.idSecond == Self.start + 20)
        second.title = "Flat"
        second.isDeleted = true
        let later = try #require(spans([ride(0..<900)], notes: [second, first]).first)
        #expect(later.title == "Flat" && later.isDeleted)
        #expect(Workouts.index(of: Self.start - 30, in: [span]) == 0)
        #expect(Workouts.index(of: Self.start + 900, in: [span]) == nil)
    }

    @Test(
        "However somebody moves and marks, workouts are in order, apart, and with no longer pauses than they may have",
        arguments: 1...60 as ClosedRange<UInt64>)
    func anyMovement(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (movements, now): ([Movement], Int64) = ([], 0)
        for _ in 0..<40 {
            now += Int64.random(in: 10...500, using: &random)
            let end = now + Int64.random(in: 20...900, using: &random)
            movements.append(Movement(now..<end, isOfCrank: Int.random(in: 0..<4, using: &random) > 0))
            now = end
        }
        let natural = Workouts.find(movements)
        for (one, next) in zip(natural, natural.dropFirst()) {
            #expect(one.seconds.upperBound <= next.seconds.lowerBound)
        }
        for span in natural {
            #expect(span.seconds.count >= 180 && span.pauses.allSatisfy { $0.count <= 300 })
            #expect(
                span.pauses.reduce(0) { $0 + $1.count } + span.movements.reduce(0) { $0 + $1.seconds.count }
                    == span.seconds.count)
        }
        let kinds: [WorkoutMark.Kind] = [.start, .stop, .toggle, .cut, .join]
        let marks = (0..<12).map { _ in
            WorkoutMark(Int64.random(in: 0...now, using: &random), kinds.randomElement(using: &random) ?? .cut)
        }
        let marked = Workouts.find(movements, marks: marks, cuts: [now / 3, now / 2])
        for (one, next) in zip(marked, marked.dropFirst()) {
            #expect(one.seconds.upperBound <= next.seconds.lowerBound)
        }
        #expect(marked == Workouts.find(movements, marks: marks.shuffled(using: &random), cuts: [now / 2, now / 3]))
    }
}
