import TestBroker
import Testing
import Wire

@testable import History

@Suite("What riders of a class did, by the minutes and seconds of their devices")
struct ClassScoreTests {
    /// 2026-11-20T17:00:00Z
    static let start: Int64 = 1_795_194_000
    static let minute = start / 60

    private func record(_ seconds: Range<Int64>, _ steps: [ClassStep] = []) -> ClassRecord {
        let range = Self.start + seconds.lowerBound..<Self.start + seconds.upperBound
        let plan = ClassReport {
            ($0.title, $0.lengthSeconds, $0.steps) = ("Hills", Int(seconds.count), steps)
        }
        return ClassRecord(plan: plan, seconds: range)
    }

    private func step(_ seconds: Int, rpm: ClosedRange<Int>? = nil, watts: ClosedRange<Int>? = nil) -> ClassStep {
        ClassStep {
            $0.lengthSeconds = seconds
            ($0.cadenceMinimumRPM, $0.cadenceMaximumRPM) = (rpm?.lowerBound, rpm?.upperBound)
            ($0.powerMinimumWatts, $0.powerMaximumWatts) = (watts?.lowerBound, watts?.upperBound)
        }
    }

    private func minute(_ place: Int64, rpm: (Int) -> Int?, watts: (Int) -> Int? = { _ in nil }) -> TracedMinute {
        var trace = Trace()
        for second in 0..<60 {
            trace[.cadence, second] = rpm(second)
            trace[.power, second] = watts(second)
        }
        return counted(Self.minute + place, revolutions: 90, distanceMillimetres: 540_000, trace: trace)
    }

    private func counted(
        _ minute: Int64, revolutions: Int64, distanceMillimetres: Int64, trace: Trace? = nil
    ) -> TracedMinute {
        var sum = CountSum()
        (sum.counts.revolutions, sum.counts.distanceMillimetres) = (revolutions, distanceMillimetres)
        return TracedMinute(minute: minute, sum: sum, trace: trace)
    }

    private func score(_ minutes: [TracedMinute], _ record: ClassRecord) -> ClassScore {
        minutes.reduce(into: ClassScore()) { $0.add($1, within: record.seconds, of: record) }
    }

    @Test("A class has its steps one after the other, as far as it goes")
    func steps() {
        let whole = record(0..<300, [step(60), step(120, rpm: 80...90)])
        for (second, index, end) in [(0, 0, 60), (59, 0, 60), (60, 1, 180), (179, 1, 180)] as [(Int64, Int, Int64)] {
            let found = whole.step(at: Self.start + second)
            #expect(found?.index == index && found?.end == Self.start + end, "\(second)")
        }
        for second in [-1, 180, 299, 300, .min, .max / 2] as [Int64] {
            #expect(whole.step(at: Self.start &+ second) == nil)
        }
        let stopped = record(0..<100, [step(60), step(120, rpm: 80...90)])
        #expect(stopped.step(at: Self.start + 99)?.end == Self.start + 100)
        #expect(stopped.step(at: Self.start + 100) == nil)
    }

    @Test("A second counts where all of its step's target is kept; what is not known or does not move keeps none")
    func target() {
        let both = record(0..<60, [step(60, rpm: 80...90, watts: 150...200)])
        let ride = minute(0, rpm: { $0 < 30 ? 80 : 91 }, watts: { $0 % 2 == 0 ? 200 : nil })
        #expect(score([ride], both).timeInTargetSeconds == 15)
        #expect(score([ride], both).workJoules == 6_000)
        let free = record(0..<60, [step(20), step(20, rpm: 80...90)])
        #expect(score([ride], free).timeInTargetSeconds == 10)
        var slow = step(60)
        slow.cadenceMaximumRPM = 60
        let resting = minute(0, rpm: { $0 < 40 ? 0 : 60 })
        #expect(score([resting], record(0..<60, [slow])).timeInTargetSeconds == 20)
        #expect(score([resting], record(0..<60, [slow])).workJoules == nil)
        var steps = minute(0, rpm: { _ in 85 }).trace ?? Trace()
        steps.isOfSteps = true
        let walk = counted(Self.minute, revolutions: 90, distanceMillimetres: 540_000, trace: steps)
        #expect(score([walk], record(0..<60, [step(60, rpm: 80...90)])).timeInTargetSeconds == 0)
    }

    @Test("A minute that a class begins or ends in is shared by its turns, or without seconds by its time")
    func cut() {
        let late = record(45..<165)
        let still = minute(0, rpm: { $0 < 45 ? 0 : 90 })
        #expect(score([still], late).distanceMillimetres == 540_000)
        let even = minute(0, rpm: { _ in 90 })
        #expect(score([even], late).distanceMillimetres == 135_000)
        #expect(score([even], late).revolutions == 23)
        let blind = counted(Self.minute + 2, revolutions: 60, distanceMillimetres: 60_000)
        #expect(
            score([even, minute(1, rpm: { _ in 90 }), blind], late).distanceMillimetres == 135_000 + 540_000 + 45_000)
        let outside = counted(.max / 60, revolutions: .max, distanceMillimetres: .max)
        #expect(score([outside, minute(3, rpm: { _ in 90 }), minute(-1, rpm: { _ in 90 })], late) == ClassScore())
        let absurd = counted(Self.minute, revolutions: .max, distanceMillimetres: .max)
        _ = score([absurd, absurd], late)
    }

    @Test("Who checks in late has ridden from the beginning, and of two people each the own part")
    func stays() {
        let seconds = Self.start + 10..<Self.start + 1_210
        func owner(_ person: String, _ minutes: Range<Int64>, team: String? = nil) -> Assignment {
            Assignment(
                person: person, device: "bike-1",
                minutes: Self.minute + minutes.lowerBound..<Self.minute + minutes.upperBound,
                team: team)
        }
        func stays(_ owners: [Assignment]) -> [String] {
            ClassResult.all(of: "bike-1", owners, in: seconds).map {
                "\($0.person ?? "-") \($0.seconds.lowerBound - Self.start) \($0.seconds.upperBound - Self.start) \($0.team ?? "-")"
            }
        }
        #expect(stays([]) == ["- 10 1210 -"])
        #expect(stays([owner("Anna", 3..<15)]) == ["Anna 10 1210 -"])
        #expect(stays([owner("Anna", -60..<8), owner("Ben", 10..<500)]) == ["Anna 10 480 -", "Ben 480 1210 -"])
        // Somebody who got off as it began, or gets on as it ends, is no rider.
        #expect(stays([owner("Carl", -60..<1), owner("Anna", 1..<20), owner("Ben", 20..<90)]) == ["Anna 10 1210 -"])
        #expect(
            stays([owner("Anna", 0..<5, team: "Red"), owner("Anna", 7..<90, team: "Blue")]) == ["Anna 10 1210 Blue"])
    }

    @Test("Riders have ranks by what is chosen, equal ones the same, and teams by the average of who rode")
    func ranks() {
        var plan = record(0..<600)
        plan.plan.ranking = .distance
        func rider(_ name: String?, metres: Int64, team: String? = nil, turns: Int64 = 10) -> ClassResult {
            ClassResult(
                device: "bike-1", seconds: 0..<600, team: team,
                score: ClassScore(revolutions: turns, distanceMillimetres: metres * 1000), name: name)
        }
        let results = [
            rider("B", metres: 500, team: "red"), rider("A", metres: 500), rider("C", metres: 900, team: "Red"),
            rider(nil, metres: 5_000, team: "Red"), rider("D", metres: 0, team: "Red", turns: 0),
            rider("E", metres: 650, team: "Blue"),
        ]
        let report = ClassReport(plan, results, nowSeconds: Double(Self.start))
        #expect(report.riders.map { "\($0.rank) \($0.name)" } == ["1 C", "2 E", "3 A", "3 B", "5 D"])
        #expect(
            report.teams.map { "\($0.rank) \($0.team) \($0.riders) \($0.figures.distanceMetres ?? 0)" } == [
                "1 Red 2 700.0", "2 Blue 1 650.0",
            ])
        // One team has one spelling, and a turn of which nobody said how long it is does not count as none.
        #expect(report.riders.map { $0.team ?? "-" } == ["Red", "Blue", "-", "Red", "Red"])
        let unmeasured = ClassReport(
            plan, results + [rider("F", metres: 0, team: "Blue")], nowSeconds: Double(Self.start))
        #expect(unmeasured.teams.last?.riders == 2 && unmeasured.teams.last?.figures.distanceMetres == 650)
        #expect(report.ended == nil && report.step == nil)
        // A bike of nobody that did nothing is in no summary.
        let summary = ClassReport(plan, results, nowSeconds: Double(Self.start + 600))
        #expect(summary.riders.map(\.name) == ["C", "E", "A", "B"])
        #expect(ClassReport(plan, [], nowSeconds: Double(Self.start + 600)).ended == Double(Self.start + 600))
    }

    @Test("A ride has the title of the class that at least half of it was, on a device of the class")
    func titles() {
        var (hills, sprints) = (record(0..<1_800), record(1_860..<3_660))
        (sprints.plan.title, sprints.devices) = ("Sprints", ["bike-1"])
        let titles = [hills, sprints]
        func title(_ seconds: Range<Int64>, _ device: DeviceID = "bike-1") -> String? {
            titles.ridden(
                in: Self.start + seconds.lowerBound..<Self.start + seconds.upperBound, on: [device], isRide: true
            )?.plan.title
        }
        #expect(title(-300..<2_000) == "Hills")
        #expect(title(1_000..<3_700) == "Sprints")
        #expect(title(1_000..<3_700, "bike-2") == nil)
        #expect(title(1_700..<3_700, "bike-2") == nil)
        #expect(title(4_000..<5_000) == nil)
        hills.seconds = Self.start..<Self.start
        #expect(
            [hills].ridden(in: Self.start..<Self.start + 60, on: ["bike-1"], isRide: true) == nil)
        #expect(titles.ridden(in: Self.start..<Self.start + 600, on: ["watch-1"], isRide: false) == nil)
    }
}
