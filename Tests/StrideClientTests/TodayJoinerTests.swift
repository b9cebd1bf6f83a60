import Seeded
import Testing

@testable import StrideClient
@testable import Wire

@Suite("The steps of today, joined from history and live reports")
struct TodayJoinerTests {
    /// A midnight.
    static let midnight = 1_795_215_600.0

    @Test(
        "Whoever is away and whatever is lost, never more steps than were made, never fewer than before, and right in the end",
        arguments: Sweep.seeds(1...2_000, sample: 60))
    func neverTwice(seed: UInt64) {
        var walk = SimulatedDay(seed: seed)
        walk.run()
        #expect(walk.problems == [])
        #expect(walk.told.map(\.date).contains("2026-11-21"))
    }

    @Test("Live steps are told at once while history is away")
    func historyAway() {
        var joiner = TodayJoiner()
        _ = joiner.take(day("2026-11-20", 1_000, end: Self.midnight, revision: 0))
        _ = joiner.take(total(5_000))
        for second in 0..<600 {
            #expect(
                joiner.take(report(Double(second - 40_000), 2, of: 5_002 + second * 2))?.steps
                    == UInt64(1_002 + second * 2))
        }
        #expect(joiner.take(day("2026-11-20", 2_200, end: Self.midnight)) == nil)
    }

    @Test("A midnight that passes while history is away begins the next day, which history then goes on with")
    func midnightAlone() {
        var joiner = TodayJoiner()
        _ = joiner.take(day("2026-02-28", 9_000, end: Self.midnight, revision: 0))
        _ = joiner.take(total(9_000))
        for second in -10..<10 { _ = joiner.take(report(Double(second), 1, of: 9_011 + second)) }
        #expect(joiner.today?.date == "2026-03-01")
        #expect(joiner.today?.steps == 9)
        // What history still says of the day before changes nothing.
        #expect(joiner.take(day("2026-02-28", 9_006, end: Self.midnight)) == nil)
        #expect(joiner.take(day("2026-03-01", 0, end: Self.midnight + 86_400)) == nil)
        #expect(joiner.take(day("2026-03-01", 14, end: Self.midnight + 86_400))?.steps == 14)
    }

    @Test(
        "A day that is long over is not taken for yesterday's, and a report that reaches over midnight begins a day with 0"
    )
    func gaps() {
        var joiner = TodayJoiner()
        _ = joiner.take(day("2026-11-20", 500, end: Self.midnight, revision: 0))
        _ = joiner.take(total(500))
        for second in 0..<9 { _ = joiner.take(report(200_000 + Double(second), 1, of: 501 + second)) }
        #expect(joiner.today?.date == "2026-11-20" && joiner.today?.steps == 500)
        var reaching = TodayJoiner()
        _ = reaching.take(day("2026-11-20", 500, end: Self.midnight, revision: 0))
        _ = reaching.take(total(500))
        _ = reaching.take(report(-600, 1, of: 501))
        #expect(reaching.take(report(600, 1_000, of: 1_501))?.steps == 0)
        #expect(reaching.take(report(601, 2, of: 1_503))?.steps == 2)
    }

    @Test("What is forgotten on request is not remembered here")
    func forgotten() {
        var joiner = TodayJoiner()
        _ = joiner.take(day("2026-11-20", 500, end: Self.midnight, revision: 0))
        joiner.forget()
        #expect(joiner.take(report(-40_000, 5, of: 5)) == nil)
        #expect(joiner.take(day("2026-11-20", 3, end: Self.midnight))?.steps == 3)
    }

    /// A report so many seconds after midnight.
    private func report(_ second: Double, _ steps: Int, of total: Int) -> StepsReport {
        StepsReport(t: Self.midnight + second, steps: UInt64(total), newSteps: steps, cadenceSPM: 100)
    }

    private func total(_ steps: Int64) -> DeviceTotals { DeviceTotals { $0.counts.steps = steps } }

    /// A day whose total comes after it, but for the first.
    private func day(_ date: String, _ steps: UInt64, end: Double, revision: UInt64 = 1) -> DayTotals {
        DayTotals(
            date: date, zone: "Europe/Berlin", counts: Counts([.steps: Int64(steps)]), revision: revision, end: end)
    }
}

/// A walk over midnight, with services that come and go, messages that are lost, and history as late as it may be.
private struct SimulatedDay {
    private var random: SeededGenerator
    private var joiner = TodayJoiner()
    private var made: [String: UInt64] = [:]
    /// Steps that the counter has counted and history has not said yet, with when it may.
    private var onTheWay: [(date: String, steps: UInt64, at: Int)] = []
    private var committed: [String: UInt64] = [:]
    /// What the counter has counted for ever, late or not.
    private var counted: UInt64 = 700
    /// What history has for ever.
    private var total: UInt64 = 700
    private var revision: UInt64 = 0
    /// Steps that were sent while the counter was away.
    private var uncounted: [(second: Int, steps: UInt64)] = []
    private var isCounterAway = false
    private var isHistoryAway = false
    private(set) var told: [StepsToday] = []
    private(set) var problems: [String] = []

    private let nextMidnight: Double
    /// When the device pauses, in seconds: midnight passes in a pause or in a walk.
    private let phase: Int
    private static let seconds = -1_500..<1_500

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        phase = Int(seed % 300)
        nextMidnight = TodayJoinerTests.midnight + 3600 * Double([23, 24, 25].randomElement(using: &random) ?? 24)
    }

    mutating func run() {
        for second in Self.seconds {
            if chance(200) { isCounterAway.toggle() }
            if chance(200) { isHistoryAway.toggle() }
            walk(second)
            if !isCounterAway { count(second) }
            if !isHistoryAway { say(second) }
        }
        isCounterAway = false
        isHistoryAway = false
        count(Self.seconds.upperBound)
        say(Self.seconds.upperBound + 10)
        guard let last = told.last else { return problems.append("nothing was told") }
        if last.steps != made[last.date] { problems.append("\(last) of \(made)") }
    }

    private mutating func walk(_ second: Int) {
        let steps: UInt64 =
            (second - Self.seconds.lowerBound + phase) / 100 % 3 == 0 ? 0 : .random(in: 1...3, using: &random)
        made[Self.date(second), default: 0] += steps
        uncounted.append((second, steps))
        // Late frames are counted, and not told live.
        guard chance(50) else { return }
        let late = second - Int.random(in: 0...600, using: &random)
        made[Self.date(late), default: 0] += 5
        onTheWay.append((Self.date(late), 5, second))
        counted += 5
    }

    /// What was not counted yet is told in as many reports as there are commits.
    private mutating func count(_ now: Int) {
        while !uncounted.isEmpty {
            let part = uncounted.prefix(Int.random(in: 1...400, using: &random))
            uncounted.removeFirst(part.count)
            for (second, steps) in part { onTheWay.append((Self.date(second), steps, now + delay())) }
            let steps = part.reduce(0) { $0 + $1.steps }
            counted += steps
            guard let last = part.last(where: { $0.steps > 0 }), !chance(20) else { continue }
            note(
                joiner.take(
                    StepsReport(
                        t: TodayJoinerTests.midnight + Double(last.second) + 0.5, steps: counted, newSteps: Int(steps),
                        cadenceSPM: 100)))
        }
    }

    private mutating func say(_ now: Int) {
        let arrived = onTheWay.filter { $0.at <= now }
        onTheWay.removeAll { $0.at <= now }
        for (date, steps, _) in arrived {
            committed[date, default: 0] += steps
            total += steps
        }
        guard !arrived.isEmpty || now == 0 else { return }
        let date = Self.date(now)
        revision += 1
        note(
            joiner.take(
                DayTotals(
                    date: date, zone: "Europe/Berlin", counts: Counts([.steps: Int64(committed[date] ?? 0)]),
                    revision: revision, end: now < 0 ? TodayJoinerTests.midnight : nextMidnight)))
        note(
            joiner.take(
                DeviceTotals {
                    $0.counts.steps = Int64(total)
                    $0.revision = revision
                }))
    }

    private mutating func note(_ today: StepsToday?) {
        guard let today else { return }
        if today.steps > made[today.date] ?? 0 { problems.append("\(today) of \(made)") }
        if let last = told.last, last.date == today.date ? last.steps > today.steps : last.date > today.date {
            problems.append("\(today) after \(last)")
        }
        told.append(today)
    }

    private mutating func delay() -> Int { .random(in: 0...2, using: &random) }

    private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    private static func date(_ second: Int) -> String { second < 0 ? "2026-11-20" : "2026-11-21" }
}
