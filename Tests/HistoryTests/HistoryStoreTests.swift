import History
import Seeded
import TestBroker
import Testing
import Wire

@Suite("What a store keeps", .timeLimit(.minutes(5)))
struct HistoryStoreTests {
    let bike: DeviceID = "bike-07"
    let folder = StoreFolder()

    @Test(
        "Rows of two lives of the counter's store come to the same totals in whatever order and however often they come",
        arguments: StoreKind.available, 1...20 as ClosedRange<UInt64>)
    func anyOrder(kind: StoreKind, seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let store = try await folder.store(kind)
        var newest: [String: MinuteRow] = [:]
        var rows: [MinuteRow] = []
        for revision in 1...200 as ClosedRange<UInt64> {
            let epoch = UInt64.random(in: 1...2, using: &random) << 63 | 7
            let minute = 29_900_000 + Int64.random(in: 0..<3000, using: &random) / 60 * 60
            let row = row(minute: minute, epoch: epoch, revision: revision, steps: Int64(revision) * 3)
            newest["\(epoch) \(minute)"] = row
            rows.append(row)
        }
        rows += rows.filter { _ in Bool.random(using: &random) }
        rows.shuffle(using: &random)
        for start in stride(from: 0, to: rows.count, by: 37) {
            _ = try await store.keep(Array(rows[start..<min(start + 37, rows.count)]))
        }
        let expected = newest.values.reduce(0) { $0 + Int64($1.steps) }
        let device = try #require(try await store.device(bike))
        #expect(device.counts.steps == expected)
        let days = try await store.days(
            of: .device(bike), from: LocalDate(dayNumber: 0), to: LocalDate(dayNumber: .max))
        #expect(days.reduce(0) { $0 + $1.counts.steps } == expected)
        let sums = try await store.sums(of: bike, in: [0..<29_901_500, 29_901_500..<40_000_000])
        #expect(sums.reduce(0) { $0 + $1.counts.steps } == expected)
    }

    @Test("A day's revision grows with each change of its totals, and only then", arguments: StoreKind.available)
    func dayRevisions(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        _ = try await store.keep([row(minute: 29_900_000, revision: 5, steps: 10)])
        let first = try #require(try await store.allDays(of: bike).first)
        _ = try await store.keep([row(minute: 29_900_000, revision: 5, steps: 10)])
        _ = try await store.keep([row(minute: 29_900_000, revision: 4, steps: 3)])
        #expect(try await store.allDays(of: bike) == [first])
        _ = try await store.keep([row(minute: 29_900_001, revision: 2, steps: 1)])
        let second = try #require(try await store.allDays(of: bike).first)
        #expect(second.revision > first.revision)
        #expect(second.counts.steps == 11)
    }

    @Test(
        "What several devices have come to is read at once, each with its own, and without those that nobody knows",
        arguments: StoreKind.available)
    func snapshots(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        let today: Int64 = 29_919_000
        var other = row(minute: today, revision: 2, steps: 7)
        other.device = "other"
        _ = try await store.keep([row(minute: today - 1440, revision: 1, steps: 5), other])
        _ = try await store.keep([row(minute: today - 1440, revision: 3, steps: 2)])
        let dates = LocalDate(ofMinute: today).advanced(by: -3)..<LocalDate(ofMinute: today).advanced(by: 3)
        let found = try await store.snapshots(
            of: [.device(other.device), .device("nobody"), .device(bike)], from: dates.lowerBound,
            to: dates.upperBound)
        let snapshots = Dictionary(
            uniqueKeysWithValues: found.compactMap { found in found.record.device.map { ($0, found) } })
        #expect(snapshots.count == 2)
        #expect(snapshots[bike]?.days.map(\.counts.steps) == [2])
        #expect(snapshots[bike]?.days.map(\.published?.steps) == [5])
        #expect(snapshots[bike]?.record.published?.steps == 5)
        #expect(snapshots[other.device]?.days.map(\.counts.steps) == [7])
        #expect(snapshots[other.device]?.record.published == nil)
        let tomorrow = LocalDate(ofMinute: today).advanced(by: 1)
        let later = try await store.snapshot(of: .device(bike), from: tomorrow, to: dates.upperBound)
        #expect(later?.record.counts.steps == 2)
        #expect(later?.days == [])
        #expect(try await store.snapshot(of: .device("nobody"), from: tomorrow, to: dates.upperBound) == nil)
    }

    @Test(
        "Days over when a device travels keep their zone; the present one is made again in the new",
        arguments: StoreKind.available)
    func travel(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await store.setZone(bike, "Europe/Berlin", nowSeconds: 0)
        // 2026-11-19T22:30Z is 23:30 on the 19th in Berlin; an hour later it is the 20th there.
        let lateEvening: Int64 = 1_795_127_400 / 60
        _ = try await store.keep([
            row(minute: lateEvening, revision: 1, steps: 1), row(minute: lateEvening + 60, revision: 2, steps: 10),
        ])
        try await store.setZone(bike, "America/New_York", nowSeconds: (lateEvening + 90) * 60)
        _ = try await store.keep([row(minute: lateEvening + 120, revision: 3, steps: 100)])
        let days = try await store.allDays(of: bike)
        // In New York it is still the 19th, which began in Berlin: it goes on until it is over in New York.
        #expect(days.map(\.date.description) == ["2026-11-19"])
        #expect(days.map(\.counts.steps) == [111])
        _ = try await store.keep([row(minute: lateEvening + 1440, revision: 4, steps: 1000)])
        let later = try await store.allDays(of: bike)
        #expect(later.map(\.date.description) == ["2026-11-19", "2026-11-20"])
        #expect(later[0].minutes.upperBound == later[1].minutes.lowerBound)
        #expect(later.map(\.zone) == ["Europe/Berlin", "America/New_York"])
    }

    @Test(
        "A zone that becomes known during the day moves the day's first steps with it", arguments: StoreKind.available)
    func lateZone(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        // 2026-11-20T23:30Z: the 20th in UTC, the 21st in Berlin.
        let minute: Int64 = 1_795_217_400 / 60
        _ = try await store.keep([row(minute: minute, revision: 1, steps: 8)])
        let before = try #require(try await store.allDays(of: bike).first)
        try await store.setZone(bike, "Europe/Berlin", nowSeconds: minute * 60 + 90)
        let after = try await store.allDays(of: bike)
        #expect(after.map(\.date.description) == ["2026-11-21"])
        #expect(after.map(\.counts.steps) == [8])
        #expect(after[0].revision > before.revision)
    }

    @Test("Chains keep their cursors through a restart, and a cursor never goes back", arguments: StoreKind.available)
    func cursors(kind: StoreKind) async throws {
        let first = try await folder.store(kind)
        var changes = HistoryChanges()
        changes.cursors = [ChainCursor(epoch: .max, revision: 9, lastMessageSeconds: 100)]
        _ = try await first.commit(changes, nowSeconds: 100)
        changes.cursors[0].revision = 4
        _ = try await first.commit(changes, nowSeconds: 100)
        await first.close()
        let second = try await folder.store(kind)
        #expect(
            try await second.cursors() == [
                ChainCursor(epoch: .max, revision: 9, lastMessageSeconds: 100)
            ])
    }

    @Test("Devices beyond the limit are refused and counted, the others go on", arguments: StoreKind.available)
    func deviceLimit(kind: StoreKind) async throws {
        let store = try await folder.store(kind, maximumDevices: 1)
        var other = row(minute: 29_900_000, revision: 2, steps: 1)
        other.device = "bike-08"
        let outcome = try await store.keep([row(minute: 29_900_000, revision: 1, steps: 1), other])
        #expect(outcome.appliedRows == 1)
        #expect(outcome.refusedRows == 1)
    }

    func row(minute: Int64, epoch: UInt64 = 1, revision: UInt64, steps: Int64) -> MinuteRow {
        MinuteRow(bike, minute, epoch: epoch, revision: revision, steps: steps)
    }
}
