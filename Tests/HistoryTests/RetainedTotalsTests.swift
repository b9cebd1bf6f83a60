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
        var totals = connected()
        totals.change([.device(bike)])
        #expect(totals.takeDue(nowSeconds: 100)?.subjects.compactMap(\.device) == [bike])
        totals.published(.device(bike), dayEndMinute: .max, overConnection: 1)
        totals.change([.device(bike)])
        totals.change([.device(bike)])
        #expect(totals.takeDue(nowSeconds: 100.5) == nil)
        #expect(totals.takeDue(nowSeconds: 101)?.subjects.compactMap(\.device) == [bike])
        totals.published(.device(bike), dayEndMinute: .max, overConnection: 1)
        #expect(totals.takeDue(nowSeconds: 200) == nil)
    }

    @Test("What changes while it is on its way is published again, and what could not be published is tried again")
    func meanwhile() {
        var totals = connected()
        totals.change([.device(bike)])
        #expect(totals.takeDue(nowSeconds: 100)?.subjects.compactMap(\.device) == [bike])
        totals.change([.device(bike)])
        totals.published(.device(bike), dayEndMinute: .max, overConnection: 1)
        #expect(totals.takeDue(nowSeconds: 102)?.subjects.compactMap(\.device) == [bike])
        totals.failed([.device(bike)])
        #expect(totals.takeDue(nowSeconds: 104)?.subjects.compactMap(\.device) == [bike])
    }

    @Test("However much has changed, a few devices at once are all of them")
    func all() throws {
        var totals = connected()
        let devices = try (0..<170).map { try DeviceID("bike-\($0)") }
        totals.change(devices.map { .device($0) })
        var published: [DeviceID] = []
        while totals.hasChanges, let due = totals.takeDue(nowSeconds: 100)?.subjects.compactMap(\.device) {
            published += due
        }
        #expect(Set(published) == Set(devices) && published.count == devices.count)
    }

    @Test("A device whose local midnight has passed is published once more, without any new data")
    func midnight() {
        var totals = connected()
        totals.change([.device(bike)])
        _ = totals.takeDue(nowSeconds: 0)
        totals.published(.device(bike), dayEndMinute: 1440, overConnection: 1)
        #expect(totals.takeDue(nowSeconds: 86_399) == nil)
        #expect(totals.takeDue(nowSeconds: 86_400)?.subjects.compactMap(\.device) == [bike])
        totals.published(.device(bike), dayEndMinute: 2880, overConnection: 1)
        #expect(totals.takeDue(nowSeconds: 86_500) == nil)
    }

    @Test("After a start all devices are published, a few at once, and what changes meanwhile goes first")
    func start() throws {
        var totals = connected()
        let devices = try (0..<220).map { try DeviceID("watch-\($0)") }
        totals.recall(devices.map { .device($0) })
        totals.change([.device(bike)])
        var published: [DeviceID] = []
        for round in 0..<5 {
            let due = totals.takeDue(nowSeconds: Double(round) / 5)?.subjects.compactMap(\.device) ?? []
            #expect((due.first == bike) == (round == 0))
            #expect(due.count <= RetainedTotals.maximumDevices)
            published += due
        }
        #expect(published.count == 221)
        #expect(Set(published) == Set(devices + [bike]))
        #expect(totals.takeDue(nowSeconds: 10) == nil)
    }

    @Test("Nothing is published before what is retained has been heard, at each connection again")
    func held() {
        var totals = RetainedTotals()
        totals.change([.device(bike)])
        #expect(totals.takeDue(nowSeconds: 100) == nil)
        totals.begin(overConnection: 1)
        #expect(totals.takeDue(nowSeconds: 101)?.connection == 1)
        totals.hold()
        totals.failed([.device(bike)], endedConnection: 1)
        #expect(totals.takeDue(nowSeconds: 103) == nil)
        totals.begin(overConnection: 2)
        #expect(totals.takeDue(nowSeconds: 104)?.connection == 2)
        // The next one has begun before the failure over the one before is known.
        totals.hold()
        totals.begin(overConnection: 3)
        totals.failed([.device(bike)], endedConnection: 2)
        #expect(totals.takeDue(nowSeconds: 106)?.connection == 3)
    }

    @Test("What was retained goes along until the store has as much, or something is erased")
    func floors() {
        var totals = connected()
        totals.note([.total(bike, DeviceTotals(totals: Totals(steps: 90)))])
        for second in [100.0, 102] {
            totals.change([.device(bike)])
            #expect(totals.takeDue(nowSeconds: second)?.floors[bike] != nil)
            totals.published(.device(bike), dayEndMinute: .max, isHeld: true, overConnection: 1)
        }
        totals.change([.device(bike)])
        #expect(totals.takeDue(nowSeconds: 104)?.floors[bike] != nil)
        totals.published(.device(bike), dayEndMinute: .max, overConnection: 1)
        totals.change([.device(bike)])
        #expect(totals.takeDue(nowSeconds: 106)?.floors.isEmpty == true)
        totals.published(.device(bike), dayEndMinute: .max, overConnection: 1)

        totals.note([.total(bike, DeviceTotals(totals: Totals(steps: 90)))])
        totals.erase([.device(bike)])
        #expect(totals.takeDue(nowSeconds: 108)?.floors.isEmpty == true)
    }

    @Test("What was heard over a later connection outlives the end of an earlier publication")
    func laterFloor() {
        var totals = connected()
        totals.change([.device(bike)])
        _ = totals.takeDue(nowSeconds: 100)
        totals.hold()
        totals.note([.total(bike, DeviceTotals(totals: Totals(steps: 90)))])
        totals.published(.device(bike), dayEndMinute: .max, overConnection: 1)
        totals.begin(overConnection: 2)
        totals.change([.device(bike)])
        #expect(totals.takeDue(nowSeconds: 102)?.floors[bike] != nil)
    }

    @Test("The totals that were retained are kept in mind of so many devices, and of no more")
    func manyFloors() throws {
        var totals = connected()
        for number in 0...RetainedTotals.maximumFloors {
            totals.note([.total(try DeviceID("watch-\(number)"), DeviceTotals(totals: Totals(steps: 1)))])
        }
        let devices = [try DeviceID("watch-0"), try DeviceID("watch-\(RetainedTotals.maximumFloors)")]
        totals.change(devices.map { .device($0) })
        let due = totals.takeDue(nowSeconds: 100)
        #expect(due?.subjects.count == 2)
        #expect(due.map { Array($0.floors.keys) } == [devices[0]])
    }

    /// Nothing to publish, over a connection of which nothing that was retained was heard.
    private func connected() -> RetainedTotals {
        var totals = RetainedTotals()
        totals.begin(overConnection: 1)
        return totals
    }
}
