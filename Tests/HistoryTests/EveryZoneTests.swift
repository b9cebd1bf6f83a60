import Foundation
import Testing
import Wire

@testable import History

/// A sample of zones and instants; with `STRIDEBUS_ZONES=all` in the environment every zone, for every day of a decade.
@Suite("Days in every zone of the time zone database")
struct EveryZoneTests {
    static let isWhole = ProcessInfo.processInfo.environment["STRIDEBUS_ZONES"] == "all"
    static let zones = TimeZone.knownTimeZoneIdentifiers.filter { $0.contains("/") || $0 == "UTC" }.sorted()
    /// 2016-01-01 to 2026-01-01.
    static let decade: Range<Int64> = 1_451_606_400 / 60..<1_767_225_600 / 60
    static let dayStarts = [0, 240, 1439, 1]

    @Test("An instant is in one day and in no other, and days follow each other without a gap")
    func oneDay() throws {
        var random = SeededGenerator(seed: 2016)
        #expect(Self.zones.count > 300)
        for number in 0..<(Self.isWhole ? 0 : 2000) {
            let zone = Self.zones[number * 7 % Self.zones.count]
            let minute = Int64.random(in: Self.decade, using: &random)
            try check(zone, minute, dayStart: Self.dayStarts[number % Self.dayStarts.count])
        }
        for zone in Self.isWhole ? Self.zones : [] {
            for minute in stride(from: Self.decade.lowerBound, to: Self.decade.upperBound, by: 1439) {
                for dayStart in Self.dayStarts { try check(zone, minute, dayStart: dayStart) }
            }
        }
    }

    @Test("The days of a device that travels have the sum of its minutes, and no minute is in two of them")
    func sums() async throws {
        var random = SeededGenerator(seed: 77)
        for round in 0..<(Self.isWhole ? Self.zones.count : 12) {
            let folder = try TemporaryFolder()
            let store = try SQLiteHistoryStore(directory: folder.path, synchronous: .normal, nowSeconds: 0)
            let device = try DeviceID("watch-3")
            var revision: UInt64 = 0
            var now = Int64.random(in: Self.decade, using: &random)
            try await store.setZone(device, Self.zones[round * 17 % Self.zones.count], nowSeconds: now * 60)
            for _ in 0..<12 {
                _ = try await store.keep(rows(device, before: now, &revision, &random))
                now += .random(in: 0..<3000, using: &random)
                let zone = Self.zones.randomElement(using: &random) ?? "UTC"
                if Bool.random(using: &random) { try await store.setZone(device, zone, nowSeconds: now * 60) }
            }
            try await compare(store, device)
            await store.close()
        }
    }

    private func check(_ zone: String, _ minute: Int64, dayStart: Int) throws {
        let calendar = try DayCalendar(zone: zone, dayStartMinutes: dayStart)
        let date = calendar.date(ofMinute: minute)
        let day = calendar.minutes(of: date)
        let before = calendar.minutes(of: date.advanced(by: -1))
        let after = calendar.minutes(of: date.advanced(by: 1))
        guard day.contains(minute), before.upperBound == day.lowerBound, after.lowerBound == day.upperBound else {
            Issue.record("\(zone), day from minute \(dayStart), minute \(minute): \(before), \(day), \(after)")
            return
        }
    }

    /// Minutes of the last three days, most of them late, some corrected.
    private func rows(
        _ device: DeviceID, before now: Int64, _ revision: inout UInt64, _ random: inout SeededGenerator
    ) -> [MinuteTotals] {
        (0..<25).map { _ in
            revision += 1
            let minute = now - .random(in: 0..<4320, using: &random) / 20 * 20
            var row = MinuteTotals(device: device, minute: minute, epoch: 1, revision: revision)
            row.steps = .random(in: 0...150, using: &random)
            row.coveredMilliseconds = 60_000
            return row
        }
    }

    private func compare(_ store: SQLiteHistoryStore, _ device: DeviceID) async throws {
        let days = try await store.allDays(of: device).sorted { $0.minutes.lowerBound < $1.minutes.lowerBound }
        let sums = try await store.sums(of: device, in: days.map(\.minutes) + [0..<DayCalendar.minutes.upperBound])
        for (day, sum) in zip(days, sums) { #expect(day.counts == sum.counts, "\(day)") }
        #expect(days.reduce(0) { $0 + $1.counts.steps } == sums.last?.counts.steps)
        for (one, next) in zip(days, days.dropFirst()) {
            #expect(one.minutes.upperBound <= next.minutes.lowerBound, "\(one) \(next)")
        }
    }
}
