import History
import Testing
import Wire

@Suite("Travel over the date line", .timeLimit(.minutes(5)))
struct DateLineTests {
    let watch: DeviceID
    let folder: TemporaryFolder
    /// 2026-11-18T00:00Z.
    static let start: Int64 = 1_794_960_000 / 60
    static let routes = [
        ["Pacific/Kiritimati", "Pacific/Honolulu"], ["Pacific/Honolulu", "Pacific/Kiritimati"],
        ["Pacific/Apia", "Pacific/Honolulu", "Pacific/Apia"],
        ["Pacific/Honolulu", "Pacific/Apia", "Pacific/Kiritimati"],
        ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Pacific/Kiritimati", "Pacific/Pago_Pago"],
    ]

    init() throws {
        watch = try DeviceID("watch-3")
        folder = try TemporaryFolder()
    }

    @Test(
        "Nobody loses or doubles a step between Kiritimati and Honolulu: each minute is in one day, and days sum to minutes",
        arguments: StoreKind.available, routes)
    func dateLine(kind: StoreKind, route: [String]) async throws {
        let store = try await folder.store(kind)
        var minutes: [Int64] = []
        for (leg, zone) in route.enumerated() {
            let arrival = Self.start + Int64(leg) * 2345
            try await store.setZone(watch, zone, nowSeconds: arrival * 60)
            // On the way there, late for the flight before, and on the spot.
            let walked = (-40..<40).map { arrival + Int64($0) * 37 } + (0..<30).map { arrival - 3000 + Int64($0) * 11 }
            minutes += walked
            _ = try await store.keep(walked.enumerated().map { row($1, leg, $0) })
        }
        let days = try await store.allDays(of: watch).sorted { $0.minutes.lowerBound < $1.minutes.lowerBound }
        for minute in minutes { #expect(days.count { $0.minutes.contains(minute) } == 1, "\(minute)") }
        for (one, next) in zip(days, days.dropFirst()) {
            #expect(one.minutes.upperBound <= next.minutes.lowerBound, "\(one) \(next)")
        }
        let sums = try await store.sums(of: watch, in: days.map(\.minutes))
        #expect(days.map(\.counts) == sums.map(\.counts))
        let total = try #require(try await store.device(watch)).counts
        #expect(days.reduce(0) { $0 + $1.counts.steps } == total.steps)
        #expect(total.steps == Int64(Set(minutes).count))
        #expect(Set(days.map(\.date)).count == days.count)
    }

    private func row(_ minute: Int64, _ leg: Int, _ number: Int) -> MinuteTotals {
        var row = MinuteTotals(device: watch, minute: minute, epoch: 1, revision: UInt64(leg * 1000 + number + 1))
        row.steps = 1
        row.coveredMilliseconds = 60_000
        return row
    }
}
