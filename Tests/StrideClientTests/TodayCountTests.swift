import Testing
import Wire

@testable import StrideClient

@Suite struct TodayCountTests {
    private static let end = 1_800_000_000.0

    private func day(_ steps: UInt64, _ revision: UInt64, date: String = "2027-01-15", end: Double = end) -> DayTotals {
        var day = DayTotals()
        (day.date, day.revision, day.end) = (date, revision, end)
        day.counts.steps = Int64(clamping: steps)
        return day
    }

    @Test("A device that is new has as much today as it has in all, whenever somebody begins to watch")
    func new() {
        var today = TodayCount()
        today.take(day(9, 1), 9)
        today.take(total: 9, revision: 1)
        today.take(live: 20, new: 2, at: Self.end - 5000)
        #expect(today.count == 20)
        #expect(today.knownTotal == 20)
        today.take(live: 273, new: 2, at: Self.end - 4990)
        #expect(today.count == 22)
        // What a lost report said, history says.
        today.take(day(273, 2), 273)
        today.take(total: 273, revision: 2)
        today.take(live: 275, new: 2, at: Self.end - 4989)
        #expect(today.count == 275)
    }

    @Test("What was forgotten is not counted today, though the counter's total still has it")
    func forgotten() {
        var today = TodayCount()
        today.take(day(300, 7), 300)
        today.take(total: 5_000, revision: 7)
        today.take(live: 5_002, new: 2, at: Self.end - 5000)
        #expect(today.count == 302)
        today.take(day(302, 8), 302)
        today.take(total: 5_002, revision: 8)
        // 1,000 of earlier days, and 100 of today.
        today.take(day(202, 9), 202)
        today.take(total: 3_902, revision: 9)
        #expect(today.count == 202)
        today.take(live: 5_004, new: 2, at: Self.end - 4000)
        #expect(today.count == 204)
        #expect(today.knownTotal == 3_904)
        // Who comes later sees no fall.
        var later = TodayCount()
        later.take(total: 3_904, revision: 10)
        later.take(day(204, 10), 204)
        later.take(live: 5_006, new: 2, at: Self.end - 3000)
        #expect(later.count == 206)
        // A little is taken for what is on its way, until the next pause.
        var soon = TodayCount()
        soon.take(day(20, 1), 20)
        soon.take(total: 100, revision: 1)
        soon.take(live: 112, new: 2, at: Self.end - 3000)
        #expect(soon.count == 32)
        soon.take(total: 102, revision: 2)
        soon.take(day(22, 2), 22)
        soon.take(live: 114, new: 2, at: Self.end - 2000)
        #expect(soon.count == 32)
        soon.take(live: 134, new: 20, at: Self.end - 1999)
        #expect(soon.count == 44)
    }

    @Test("What comes late may be of yesterday, and waits for history's word")
    func late() {
        var today = TodayCount()
        today.take(day(10, 1), 10)
        today.take(total: 100, revision: 1)
        today.take(live: 102, new: 2, at: Self.end - 5000)
        today.take(live: 304, new: 2, at: Self.end - 4999)
        #expect(today.count == 14)
        // A recording of yesterday evening is sent in order, before that of today.
        var morning = TodayCount()
        morning.take(day(0, 1), 0)
        morning.take(total: 100, revision: 1)
        for second in 0..<50 {
            morning.take(live: 102 + UInt64(second) * 2, new: 2, at: Self.end - 90_000 + Double(second))
        }
        #expect(morning.count == 0)
        morning.take(live: 202, new: 2, at: Self.end - 50_000)
        #expect(morning.count == 0)
        morning.take(day(2, 2), 2)
        morning.take(total: 202, revision: 2)
        #expect(morning.count == 2)
    }

    @Test("No number traps")
    func extremes() {
        let numbers: [UInt64] = [0, 1, 1 << 53, UInt64(Int64.max), .max]
        var today = TodayCount()
        for (place, first) in numbers.enumerated() {
            for second in numbers {
                for third in numbers + numbers.reversed() {
                    today.take(live: first, new: second, at: Self.end - Double(5_000 - place))
                    today.take(total: second, revision: third)
                    today.take(day(third / 2, second), third)
                    today.take(live: third, at: Self.end + 1e18)
                }
            }
        }
        #expect(today.knownTotal != nil)
    }
}
