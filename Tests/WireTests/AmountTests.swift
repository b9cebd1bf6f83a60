import Testing

@testable import Wire

@Suite("The table of what is counted")
struct AmountTests {
    @Test("Each number has columns and a name of its own, and what days have minutes have")
    func table() {
        for names in [Amount.all.map(\.row.countersColumn), Amount.all.map(\.row.column)] {
            #expect(Set(names).count == names.count)
        }
        let fields = Amount.ofDays.compactMap(\.row.name)
        #expect(Set(fields).count == Amount.ofDays.count)
        #expect(Set(Amount.ofDays).isSubset(of: Amount.ofMinutes))
        #expect(Amount.activities.count == ActivityKind.allCases.count && Amount.activities.last == Amount.all.last)
    }

    @Test("Counts add up, change, and rise, each number by itself; what is not known is 0 beside what is")
    func arithmetic() throws {
        let some = Counts(Dictionary(uniqueKeysWithValues: Amount.all.map { ($0, Int64($0.rawValue) + 1) }))
        var twice = some
        twice += some
        #expect(Amount.all.allSatisfy { twice[$0] == 2 * some[$0] })
        #expect(twice - some == some && some.raised(to: twice) == twice && twice.raised(to: some) == twice)
        #expect(Counts().floors == nil && (some - Counts()).floors == some.floors)
        #expect(some.only(Amount.ofDays).only(Amount.activities) == Counts())
        var day = DayTotals(date: "2026-11-20", zone: "UTC", counts: some.only(Amount.ofDays))
        #expect(try DayTotals(json: day.encodedJSON()) == day)
        day.counts[.steps] = -3
        #expect(day.steps == 0 && String(decoding: day.encodedJSON(), as: UTF8.self).contains(#""steps":0"#))
    }
}
