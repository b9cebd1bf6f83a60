import MQTT
import Seeded
import ServiceKit
import TestBroker
import Testing
import Wire

@testable import History

@Suite("Minutes that go", .timeLimit(.minutes(5)))
struct RetentionTests {
    let watch: DeviceID = "watch-3"
    let phone: DeviceID = "phone-3"
    let folder = StoreFolder()
    /// 2026-03-27T00:00Z, two days before Berlin's clocks go forward.
    static let start: Int64 = 1_774_569_600 / 60

    @Test(
        "Days are what they were before, in any zone and across a change of the clocks",
        arguments: StoreKind.available, ["Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC"])
    func sameSums(kind: StoreKind, zone: String) async throws {
        let store = try await folder.store(kind)
        try await store.setZone(watch, zone, nowSeconds: 0)
        try await fill(store, watch, days: 6, seed: 3)
        let calendar = try DayCalendar(zone: zone)
        let range = Self.start - 1440..<Self.start + 8 * 1440
        let days = calendar.buckets(.day, in: range, limit: .max)
        let before = try await store.sums(of: watch, in: days)
        let (record, stored) = try await (store.device(watch), store.allDays(of: watch))
        let horizon = Self.start + 5 * 1440
        var removed = 0
        while case let minutes = try await store.compact(watch, before: horizon), minutes > 0 { removed += minutes }
        #expect(removed > 200)
        #expect(try await store.sums(of: watch, in: days) == before)
        #expect(try await store.allDays(of: watch) == stored)
        #expect(try await store.device(watch)?.counts == record?.counts)
        let rest = try await store.minutes(of: watch, in: range)
        #expect(!rest.isEmpty && rest.allSatisfy { $0.minute >= horizon - 1440 })
    }

    @Test(
        "What comes for minutes that are gone is refused and counted, and changes nothing",
        arguments: StoreKind.available)
    func tooLate(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await fill(store, watch, days: 3, seed: 5)
        while try await store.compact(watch, before: Self.start + 2 * 1440) > 0 {}
        let before = try #require(try await store.device(watch))
        #expect(before.compactedMinute == Self.start + 2 * 1440)
        var late = MinuteRow(watch, Self.start + 60, revision: 999_999, steps: 77)
        let outcome = try await store.keep([late])
        #expect(outcome.lateRows == 1)
        #expect(try await store.device(watch) == before)
        late.minute = before.compactedMinute
        #expect(try await store.keep([late]).appliedRows == 1)
    }

    @Test(
        "Old rides count in whatever order their years come, with days of which sums are kept between them",
        arguments: StoreKind.available)
    func archive(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        let bike: DeviceID = "bike-3"
        let year: Int64 = 365 * 1440
        let horizon = Self.start
        try await store.checkIn("Anna", bike, Assignment.always..<Assignment.forGood)
        func ride(_ begin: Int64, _ first: UInt64) -> [MinuteRow] {
            (0..<10).map { number in
                MinuteRow(bike, begin + number, revision: first + UInt64(number), revolutions: 60)
            }
        }
        let first = Self.start - 3 * year + 600
        try await store.keep(ride(first, 1))
        #expect(try await store.compactAll(before: horizon) > 0)
        // Of a year before, of the next day, of a year after that, and all once more.
        let others = [first - year, first + 1440, first + year].enumerated().flatMap { place, begin in
            ride(begin, UInt64(place) * 10 + 11)
        }
        #expect(try await store.keep(others).appliedRows == 30)
        _ = try await store.compactAll(before: horizon)
        let between = ride(first + year / 2, 41)
        #expect(try await store.keep(between).appliedRows == 10)
        // Of the days that are sums by now, and another part of the first of them.
        let again = try await store.keep(others + between + ride(first + 30, 51))
        #expect(again.appliedRows == 0 && again.repeatedRows == 20 && again.late == [bike: 30])
        _ = try await store.compactAll(before: horizon)
        #expect(try await store.device(bike)?.counts.revolutions == 3_000)
        for subject in [Subject.device(bike), .person("Anna")] {
            let days = try await store.days(
                of: subject, from: LocalDate(dayNumber: 0), to: LocalDate(dayNumber: 40_000))
            #expect(days.map(\.counts.revolutions) == [600, 600, 600, 600, 600], "\(subject)")
        }
    }

    @Test(
        "An interval says that it is about days, and minutes that are gone are told as such",
        arguments: StoreKind.available)
    func resolution(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await fill(store, watch, days: 3, seed: 5)
        while try await store.compact(watch, before: Self.start + 2 * 1440) > 0 {}
        let end = (Self.start + 3 * 1440) * 60
        let json = #"{"device":"watch-3","bucket":"minute","from":\#(Self.start * 60),"to":\#(end)}"#
        let interval: IntervalData = try await store.ask(.historyInterval, json, at: Double(end))
        #expect(interval.resolutionSeconds == 86_400)
        let error = await store.refusal(of: .historySeries, json, by: nil, at: end)
        #expect(error?.code == .notAvailable)
        #expect(error?.message.contains("2026-03-29T00:00:00Z") == true)
    }

    @Test(
        "What is older than the retention goes, of all devices; what is younger stays", arguments: StoreKind.available)
    func all(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await store.setZone(phone, "Asia/Tokyo", nowSeconds: 0)
        for device in [watch, phone] { try await fill(store, device, days: 12, seed: 8) }
        let before = try await store.device(watch)
        let horizon = Retention(days: 7).horizon(nowMinute: Self.start + 12 * 1440 + 600)
        #expect(try await store.compactAll(before: horizon) > 400)
        #expect(try await store.compactAll(before: horizon) == 0)
        #expect(try await store.device(watch)?.counts == before?.counts)
        #expect(try await store.device(watch)?.compactedMinute == Self.start + 5 * 1440)
        let young = try await store.minutes(of: watch, in: Self.start + 5 * 1440..<Self.start + 13 * 1440)
        #expect(young.count > 300)
    }

    @Test("Seconds that are too old go in small transactions, all of them", arguments: StoreKind.available)
    func manySeconds(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        var trace = Trace()
        trace[.heart, 3] = 120
        let rows = (0..<4_500 as Range<Int64>).map { minute in
            MinuteRow(watch, Self.start + minute, revision: UInt64(minute) + 1) { $0.trace = trace.packed }
        }
        try await store.keep(rows)
        try await store.dropTraces(before: Self.start + 4_400)
        let left = try await store.traces(of: .device(watch), in: Self.start..<Self.start + 5_000)
        #expect(left.map(\.minute) == Array(Self.start + 4_400..<Self.start + 4_500))
    }

    @Test(
        "A shorter retention takes one day of one device in each transaction, however many there are",
        arguments: StoreKind.available)
    func inParts(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await fill(store, watch, days: 40, seed: 2)
        let all = try await store.minutes(of: watch, in: Self.start..<Self.start + 33 * 1440).count
        var removed: [Int] = []
        while case let minutes = try await store.compact(watch, before: Self.start + 33 * 1440), minutes > 0 {
            removed.append(minutes)
        }
        #expect(removed.count == 33 && removed.reduce(0, +) == all)
        #expect(removed.allSatisfy { $0 <= 1_500 })
    }

    private func fill(_ store: HistoryStore, _ device: DeviceID, days: Int64, seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var rows: [MinuteRow] = []
        for minute in 0..<days * 1440 where Int.random(in: 0..<20, using: &random) == 0 {
            let steps = Int64.random(in: 1...140, using: &random)
            rows.append(
                MinuteRow(device, Self.start + minute, revision: UInt64(minute) + 1, steps: steps) {
                    $0.counts[.walking] = 60_000
                })
        }
        try await store.keep(rows)
    }
}
