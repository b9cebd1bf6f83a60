import StrideClient
import Testing
import Wire

@Suite("Today over a device's midnight", .timeLimit(.minutes(5)))
struct MidnightTests {
    @Test("The steps of today begin again at the device's own midnight, without a restart and without losing a step")
    func midnight() async throws {
        let clock = MidnightClock()
        let walk = try await RunningBus.with(historyNow: clock.nowSeconds) { try MidnightWalk($0, clock: clock) }
        let days = walk.days
        try #require(days.count == 2)
        #expect(days.reduce(0) { $0 + $1.steps } == walk.expectedSteps)
        #expect(days.allSatisfy { $0.steps > 20 })
        for day in days {
            let told = walk.told.filter { $0.date == day.date }.map(\.steps)
            #expect(!told.isEmpty)
            #expect(told == told.sorted() && told.allSatisfy { $0 <= day.steps }, "\(told) of \(day.steps)")
        }
        // Each date is told in one stretch, and nothing else is.
        let dates = walk.told.map(\.date)
        #expect(dates == dates.sorted() && Set(dates) == Set(days.map(\.date)))
        #expect(walk.told.last?.steps == days[1].steps)
    }
}
