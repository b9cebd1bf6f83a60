import Foundation
import History
import Seeded
import TestBroker
import Testing
import Wire

/// Every zone, for every day of a decade; a sixth of the zones where not the whole is asked for.
@Suite("Days in every zone of the time zone database")
struct EveryZoneTests {
    static let zones = TimeZone.knownTimeZoneIdentifiers.filter { $0.contains("/") || $0 == "UTC" }.sorted()
    /// Zones whose clocks change at midnight, by half an hour, often, or by a whole day.
    static let odd = [
        "Africa/Cairo", "Africa/Casablanca", "America/Havana", "America/Sao_Paulo", "Asia/Beirut", "Asia/Tehran",
        "Australia/Lord_Howe", "Pacific/Apia",
    ]
    /// 2011-01-01 to 2013-01-01: Apia had no 30th of December.
    static let oddYears: Range<Int64> = 1_293_840_000 / 60..<1_356_998_400 / 60
    /// 2016-01-01 to 2026-01-01.
    static let decade: Range<Int64> = 1_451_606_400 / 60..<1_767_225_600 / 60

    @Test(
        "An instant is in one day and in no other, and days follow each other without a gap",
        arguments: [0, 240, 1439, 1])
    func oneDay(dayStart: Int) throws {
        #expect(Self.zones.count > 300)
        for (zones, years) in [(Sweep.cases(Self.zones, every: 6), Self.decade), (Self.odd, Self.oddYears)] {
            for zone in zones {
                let calendar = try DayCalendar(zone: zone, dayStartMinutes: dayStart)
                check(calendar, in: years, "\(zone), day from minute \(dayStart)")
            }
        }
    }

    @Test("The days of a device that travels have the sum of its minutes, and no minute is in two of them")
    func sums() async throws {
        var random = SeededGenerator(seed: 77)
        for round in Sweep.cases(Array(Self.zones.indices), every: 6) {
            let store = try HistoryStore.inMemory()
            let device: DeviceID = "watch-3"
            var revision: UInt64 = 0
            var now = Int64.random(in: Self.decade, using: &random)
            try await store.setZone(device, Self.zones[round], nowSeconds: now * 60)
            for _ in 0..<12 {
                _ = try await store.keep(rows(device, before: now, &revision, &random))
                now += .random(in: 0..<3000, using: &random)
                let zone = Self.zones.randomElement(using: &random) ?? "UTC"
                if Bool.random(using: &random) { try await store.setZone(device, zone, nowSeconds: now * 60) }
            }
            try await compare(store, device)
        }
    }

    /// A day begins where the one before it ends, and its first and its last minute are its own: so is what lies
    /// between.
    private func check(_ calendar: DayCalendar, in years: Range<Int64>, _ what: String) {
        var date = calendar.date(ofMinute: years.lowerBound)
        var day = calendar.minutes(of: date)
        while day.lowerBound < years.upperBound {
            let isWhole =
                day.isEmpty
                || calendar.date(ofMinute: day.lowerBound) == date
                    && calendar.date(ofMinute: day.upperBound - 1) == date
            date = date.advanced(by: 1)
            let next = calendar.minutes(of: date)
            if !isWhole || next.lowerBound != day.upperBound {
                Issue.record("\(what): \(day) before \(date), \(next)")
            }
            day = next
        }
    }

    /// Minutes of the last three days, most of them late, some corrected.
    private func rows(
        _ device: DeviceID, before now: Int64, _ revision: inout UInt64, _ random: inout SeededGenerator
    ) -> [MinuteRow] {
        (0..<25).map { _ in
            revision += 1
            let minute = now - .random(in: 0..<4320, using: &random) / 20 * 20
            return MinuteRow(device, minute, revision: revision, steps: .random(in: 0...150, using: &random))
        }
    }

    private func compare(_ store: HistoryStore, _ device: DeviceID) async throws {
        let days = try await store.allDays(of: device).sorted { $0.minutes.lowerBound < $1.minutes.lowerBound }
        let sums = try await store.sums(of: device, in: days.map(\.minutes) + [0..<DayCalendar.minutes.upperBound])
        for (day, sum) in zip(days, sums) { #expect(day.counts == sum.counts, "\(day)") }
        #expect(days.reduce(0) { $0 + $1.counts.steps } == sums.last?.counts.steps)
        for (one, next) in zip(days, days.dropFirst()) {
            #expect(one.minutes.upperBound <= next.minutes.lowerBound, "\(one) \(next)")
        }
    }
}
