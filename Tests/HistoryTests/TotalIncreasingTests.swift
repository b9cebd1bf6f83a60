import History
import TestBroker
import Testing
import Wire

@Suite("Readers for whom a fall is a new beginning", .timeLimit(.minutes(5)))
struct TotalIncreasingTests {
    let bike: DeviceID = "bike-07"

    /// What Home Assistant makes of a sensor of the state class `total_increasing`: a value that is less than the one
    /// before is the first of a new count.
    private struct Reader {
        private var last: UInt64?
        private(set) var sum: UInt64 = 0

        mutating func read(_ value: UInt64) {
            let before = last ?? 0
            sum += value >= before ? value - before : value
            last = value
        }
    }

    /// Corrections and what a reader must have counted after each: the minute, its revolutions, and the sums of the day
    /// and of all time.
    private static let corrections: [(minute: Int64, revolutions: Int64, day: UInt64, total: UInt64)] = [
        (0, 40, 40, 40), (0, 25, 40, 40), (1, 10, 40, 40), (1, 20, 45, 45), (-1440, 30, 45, 75), (-1440, 10, 45, 75),
        (0, 5, 45, 75), (2, 50, 75, 85), (2, 49, 75, 85),
    ]

    @Test("Corrections downward, of today and of yesterday, and restarts make nobody count anything twice")
    func corrections() async throws {
        try await withScope { scope in
            let listener = try await scope.listener(
                "stride/bike-07/+")
            for (index, step) in Self.corrections.enumerated() {
                try await scope.withHistory {
                    let last = UInt64(index) + 1
                    try await scope.count(
                        bike, minute: scope.minute + step.minute, revolutions: step.revolutions, after: last - 1,
                        through: last)
                    _ = try await listener.wait(for: "stride/bike-07/total") { heard in
                        (try? DeviceTotals(json: heard.payload)).map { $0.revision >= last } ?? false
                    }
                }
                #expect(try read(listener, "day") { try DayTotals(json: $0).revolutions } == step.day)
                #expect(try read(listener, "total") { try DeviceTotals(json: $0).revolutions } == step.total)
            }
            try await tellsTheTruth(scope)
        }
    }

    @Test("At midnight a day begins again, and a late correction of the day before does not raise it")
    func midnight() async throws {
        try await withScope { scope in
            let listener = try await scope.listener("stride/bike-07/+")
            try await scope.withHistory {
                try await count(scope, listener, 0, revolutions: 40, last: 1)
                // 2026-11-21T00:00:05Z.
                scope.clock.set(1_795_219_205)
                _ = try await listener.wait(for: "stride/bike-07/day") { $0.text.contains("2026-11-21") }
                try await count(scope, listener, 0, revolutions: 30, last: 2)
                try await count(scope, listener, 391, revolutions: 7, last: 3)
            }
            #expect(try read(listener, "day") { try DayTotals(json: $0).revolutions } == 47)
            #expect(try read(listener, "total") { try DeviceTotals(json: $0).revolutions } == 40)
        }
    }

    private func count(
        _ scope: HistoryScope, _ listener: BusListener, _ offset: Int64, revolutions: Int64, last: UInt64
    ) async throws {
        try await scope.count(
            bike, minute: scope.minute + offset, revolutions: revolutions, after: last - 1, through: last)
        _ = try await listener.wait(for: "stride/bike-07/total") { heard in
            (try? DeviceTotals(json: heard.payload)).map { $0.revision >= last } ?? false
        }
    }

    /// What is asked for is what was counted, not what was retained.
    private func tellsTheTruth(_ scope: HistoryScope) async throws {
        let answers = HistoryAnswers(store: try scope.folder.store())
        let now = scope.clock.nowSeconds()
        guard
            case .ok(_, let days) = await answers.reply(
                to:
                    HistoryRequest(verb: .historyDays, device: bike), nowSeconds: now),
            case .ok(_, let devices) = await answers.reply(to: HistoryRequest(verb: .devices), nowSeconds: now)
        else {
            Issue.record("no answer")
            return
        }
        #expect(try Page<DayTotals>(json: days).rows.suffix(2).map(\.revolutions) == [10, 74])
        #expect(try Page<DeviceEntry>(json: devices).rows.map(\.revolutions) == [84])
    }

    /// What a reader has counted from all that came on a channel.
    private func read(
        _ listener: BusListener, _ channel: String, _ value: ([UInt8]) throws -> UInt64
    ) throws -> UInt64 {
        var reader = Reader()
        for heard in listener.heard where heard.topic == "stride/bike-07/\(channel)" {
            reader.read(try value(heard.payload))
        }
        return reader.sum
    }
}
