import History
import Testing

@testable import Wire

@Suite("When retained totals are published")
struct RetainedTotalsTests {
    let bike: DeviceID

    init() throws {
        bike = try DeviceID("bike-07")
    }

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

    @Test("However much has changed, a few devices at once are all of them")
    func all() throws {
        var totals = RetainedTotals()
        let devices = try (0..<170).map { try DeviceID("bike-\($0)") }
        totals.change(devices.map { .device($0) })
        var published: [DeviceID] = []
        while totals.hasChanges {
            published += totals.takeDue(nowSeconds: 100).compactMap(\.device)
        }
        #expect(Set(published) == Set(devices) && published.count == devices.count)
    }

    @Test("A device whose local midnight has passed is published once more, without any new data")
    func midnight() {
        var totals = RetainedTotals()
        totals.change([.device(bike)])
        _ = totals.takeDue(nowSeconds: 0)
        totals.published(.device(bike), dayEndMinute: 1440)
        #expect(totals.takeDue(nowSeconds: 86_399).isEmpty)
        #expect(totals.takeDue(nowSeconds: 86_400) == [.device(bike)])
        totals.published(.device(bike), dayEndMinute: 2880)
        #expect(totals.takeDue(nowSeconds: 86_500).isEmpty)
    }

    @Test("After a start all devices are published, a few at once, and what changes meanwhile goes first")
    func start() throws {
        var totals = RetainedTotals()
        let devices = try (0..<220).map { try DeviceID("watch-\($0)") }
        totals.recall(devices.map { .device($0) })
        totals.change([.device(bike)])
        var published: [DeviceID] = []
        for round in 0..<5 {
            let due = totals.takeDue(nowSeconds: Double(round) / 5).compactMap(\.device)
            #expect((due.first == bike) == (round == 0))
            #expect(due.count <= RetainedTotals.maximumDevices)
            published += due
        }
        #expect(published.count == 221)
        #expect(Set(published) == Set(devices + [bike]))
        #expect(totals.takeDue(nowSeconds: 10).isEmpty)
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
