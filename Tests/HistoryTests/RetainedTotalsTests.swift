import History
import TestBroker
import Testing

@testable import Wire

@Suite("When retained totals are published")
struct RetainedTotalsTests {
    let bike: DeviceID = "bike-07"

    @Test("Many changes within a second are one publication, and the last one is never lost")
    func coalesced() {
        var totals = RetainedTotals()
        totals.change([.device(bike)])
        #expect(totals.takeDue(nowSeconds: 100) == [.device(bike)])
        totals.published(.device(bike), dayEndMinute: .max)
        totals.change([.device(bike)])
        totals.change([.device(bike)])
        #expect(totals.takeDue(nowSeconds: 100.5).isEmpty)
        #expect(totals.takeDue(nowSeconds: 101) == [.device(bike)])
        totals.published(.device(bike), dayEndMinute: .max)
        #expect(totals.takeDue(nowSeconds: 200).isEmpty)
    }

    @Test("What changes while it is on its way is published again, and what could not be published is tried again")
    func meanwhile() {
        var totals = RetainedTotals()
        totals.change([.device(bike)])
        #expect(totals.takeDue(nowSeconds: 100) == [.device(bike)])
        totals.change([.device(bike)])
        totals.published(.device(bike), dayEndMinute: .max)
        #expect(totals.takeDue(nowSeconds: 102) == [.device(bike)])
        totals.change([.device(bike)])
        #expect(totals.takeDue(nowSeconds: 104) == [.device(bike)])
    }

    @Test("While messages are missing nothing is published, for half a minute, whatever the clock does")
    func missing() {
        var totals = RetainedTotals()
        totals.change([.device(bike)])
        totals.note(isMissing: true, nowSeconds: 100)
        totals.note(isMissing: true, nowSeconds: 110)
        #expect(totals.takeDue(nowSeconds: 129).isEmpty)
        #expect(totals.takeDue(nowSeconds: 130) == [.device(bike)])
        totals.change([.device(bike)])
        totals.note(isMissing: false, nowSeconds: 140)
        totals.note(isMissing: true, nowSeconds: 150)
        #expect(totals.takeDue(nowSeconds: 151).isEmpty)
        #expect(totals.takeDue(nowSeconds: 149) == [.device(bike)])
        totals.change([.device(bike)])
        totals.note(isMissing: false, nowSeconds: 152)
        #expect(totals.takeDue(nowSeconds: 152) == [.device(bike)])
    }
}
