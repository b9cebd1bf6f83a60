import Testing
import Wire

@testable import Lab

@Suite struct TodayCountTests {
    private static let end = 1_800_000_000.0

    private func day(_ steps: UInt64, _ revision: UInt64, date: String = "2027-01-15", end: Double = end) -> DayTotals {
        var day = DayTotals()
        (day.date, day.revision, day.end) = (date, revision, end)
        day.counts.steps = Int64(steps)
        return day
    }

    @Test("Today goes on with the counter, is never less than a commit, and never falls")
    func live() {
        var today = TodayCount()
        today.take(day(251, 7), 251)
        #expect(today.count == 251)
        today.take(total: 251, revision: 7)
        today.take(live: 273, at: Self.end - 5000)
        #expect(today.count == 273)
        // The day of a commit before its total: nothing is counted twice.
        today.take(day(273, 8), 273)
        today.take(live: 275, at: Self.end - 4999)
        #expect(today.count == 275)
        today.take(total: 273, revision: 8)
        #expect(today.count == 275)
    }

    @Test("At midnight it begins with 0, before history has said so, and steps of another day are not today's")
    func midnight() {
        var today = TodayCount()
        today.take(total: 1000, revision: 1)
        today.take(day(100, 1), 100)
        today.take(live: 1010, at: Self.end - 1)
        #expect(today.count == 110)
        today.take(live: 1012, at: Self.end + 1)
        #expect(today.count == 2)
        today.take(day(110, 2), 110)
        #expect(today.count == 2)
        today.take(day(2, 3, date: "2027-01-16", end: Self.end + 86_400), 2)
        today.take(total: 1012, revision: 3)
        today.take(live: 1015, at: Self.end + 9)
        #expect(today.count == 5)
    }
}
