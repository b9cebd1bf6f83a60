import Testing
import Wire

@testable import History

@Suite("When retained totals are published")
struct RetainedBoardTests {
    let bike: DeviceID

    init() throws {
        bike = try DeviceID("bike-07")
    }

    @Test("Many changes within a second are one publication, and the last one is never lost")
    func coalesced() {
        var board = RetainedBoard()
        board.change([bike])
        #expect(board.due(nowSeconds: 100, limit: 10) == [bike])
        board.take(bike, nowSeconds: 100)
        board.change([bike])
        board.change([bike])
        #expect(board.due(nowSeconds: 100.5, limit: 10).isEmpty)
        #expect(board.due(nowSeconds: 101, limit: 10) == [bike])
        board.take(bike, nowSeconds: 101)
        #expect(board.due(nowSeconds: 200, limit: 10).isEmpty)
    }

    @Test("A device whose local midnight has passed is published once more, without any new data")
    func midnight() {
        var board = RetainedBoard()
        board.change([bike])
        board.take(bike, nowSeconds: 0)
        board.published(bike, dayEndMinute: 1440)
        #expect(board.due(nowSeconds: 86_399, limit: 10).isEmpty)
        #expect(board.due(nowSeconds: 86_400, limit: 10) == [bike])
        board.take(bike, nowSeconds: 86_400)
        board.published(bike, dayEndMinute: 2880)
        #expect(board.due(nowSeconds: 86_500, limit: 10).isEmpty)
    }

    @Test("After a start all devices are published, a few at once, and what changes meanwhile goes first")
    func start() throws {
        var board = RetainedBoard()
        let devices = try (0..<220).map { try DeviceID("watch-\($0)") }
        board.recall(devices)
        board.change([bike])
        var published: [DeviceID] = []
        for round in 0..<5 {
            let due = board.due(nowSeconds: Double(round) / 5, limit: 500)
            #expect((due.first == bike) == (round == 0))
            #expect(due.count <= 1 + RetainedBoard.maximumUnchangedDevices)
            for device in due { board.take(device, nowSeconds: Double(round) / 5) }
            published += due
        }
        #expect(published.count == 221)
        #expect(Set(published) == Set(devices + [bike]))
        #expect(board.due(nowSeconds: 10, limit: 500).isEmpty)
    }
}
