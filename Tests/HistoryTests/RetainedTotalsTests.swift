import History
import Testing
import Wire

@Suite("When retained totals are published")
struct RetainedTotalsTests {
    let bike: DeviceID

    init() throws {
        bike = try DeviceID("bike-07")
    }

    @Test("Many changes within a second are one publication, and the last one is never lost")
    func coalesced() {
        var totals = RetainedTotals()
        totals.change([bike])
        #expect(totals.takeDue(nowSeconds: 100) == [bike])
        totals.published([bike: .max])
        totals.change([bike])
        totals.change([bike])
        #expect(totals.takeDue(nowSeconds: 100.5).isEmpty)
        #expect(totals.takeDue(nowSeconds: 101) == [bike])
        totals.published([bike: .max])
        #expect(totals.takeDue(nowSeconds: 200).isEmpty)
    }

    @Test("What changes while it is on its way is published again, and what could not be published is tried again")
    func meanwhile() {
        var totals = RetainedTotals()
        totals.change([bike])
        #expect(totals.takeDue(nowSeconds: 100) == [bike])
        totals.change([bike])
        #expect(totals.takeDue(nowSeconds: 102).isEmpty)
        totals.published([bike: .max])
        #expect(totals.takeDue(nowSeconds: 102) == [bike])
        totals.failed([bike])
        #expect(totals.takeDue(nowSeconds: 104) == [bike])
    }

    @Test("A device whose local midnight has passed is published once more, without any new data")
    func midnight() {
        var totals = RetainedTotals()
        totals.change([bike])
        _ = totals.takeDue(nowSeconds: 0)
        totals.published([bike: 1440])
        #expect(totals.takeDue(nowSeconds: 86_399).isEmpty)
        #expect(totals.takeDue(nowSeconds: 86_400) == [bike])
        totals.published([bike: 2880])
        #expect(totals.takeDue(nowSeconds: 86_500).isEmpty)
    }

    @Test("After a start all devices are published, a few at once, and what changes meanwhile goes first")
    func start() throws {
        var totals = RetainedTotals()
        let devices = try (0..<220).map { try DeviceID("watch-\($0)") }
        totals.recall(devices)
        totals.change([bike])
        var published: [DeviceID] = []
        for round in 0..<5 {
            let due = totals.takeDue(nowSeconds: Double(round) / 5)
            #expect((due.first == bike) == (round == 0))
            #expect(due.count <= RetainedTotals.maximumDevices)
            totals.published([:])
            published += due
        }
        #expect(published.count == 221)
        #expect(Set(published) == Set(devices + [bike]))
        #expect(totals.takeDue(nowSeconds: 10).isEmpty)
    }
}
