import Seeded
import TestBroker
import Testing

@testable import History
@testable import Wire

@Suite("Words of intervals in the store", .timeLimit(.minutes(5)))
struct StoredWordsTests {
    private let phone: DeviceID = "phone"
    private let folder = StoreFolder()
    private static let now: Int64 = 1_795_194_000
    private static let hour = WordSweepTests.hour

    private func rows(_ told: [WordSweepTests.Told], from revision: UInt64 = 1, epoch: UInt64 = 7) -> [WordRow] {
        WordSweepTests.words(told).enumerated().map { index, word in
            WordRow(device: phone, word: word, epoch: epoch, revision: revision + UInt64(index))
        }
    }

    private func keep(_ rows: [WordRow], in store: HistoryStore) async throws {
        _ = try await store.commit(HistoryChanges(words: rows), nowSeconds: Self.now)
        try await settle(store)
    }

    private func settle(_ store: HistoryStore) async throws {
        _ = try await store.makeDue(days: .max, nowMinute: Self.now / 60)
    }

    private func minutes(of store: HistoryStore) async throws -> [Int64: Int64] {
        let all = try await store.minutes(of: phone, in: DayCalendar.minutes)
        let steps = all.map { ($0.minute, $0.sum.counts.steps) }.filter { $0.1 != 0 }
        return Dictionary(uniqueKeysWithValues: steps)
    }

    /// Totals, days and minutes agree; returns the steps.
    private func steps(of store: HistoryStore) async throws -> Int64 {
        let total = try await store.device(phone)?.counts.steps ?? 0
        #expect(try await minutes(of: store).values.reduce(0, +) == total)
        #expect(try await store.allDays(of: phone).reduce(0) { $0 + $1.counts.steps } == total)
        return total
    }

    @Test("A later word replaces an earlier one, in whatever order they come", arguments: StoreKind.available)
    func replaced(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await keep(rows([(0, 600, 500)], from: 5), in: store)
        #expect(try await steps(of: store) == 500)
        try await keep(rows([(0, 600, 400)], from: 6), in: store)
        try await keep(rows([(0, 600, 500)], from: 5), in: store)
        #expect(try await steps(of: store) == 400)
        // A counter whose store is another one begins its numbers anew.
        try await keep(rows([(0, 600, 450)], from: 1, epoch: 8), in: store)
        #expect(try await steps(of: store) == 450)
        try await keep(rows([(0, 600, 0)], from: 2, epoch: 8), in: store)
        #expect(try await steps(of: store) == 0)
        #expect(try await minutes(of: store).isEmpty)
    }

    @Test("A config that is taken back takes no words with it", arguments: StoreKind.available)
    func configTakenBack(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await store.set(phone, DeviceSettings(kind: "wearable"), nowSeconds: Self.now)
        _ = try await store.commit(HistoryChanges(words: rows([(0, 600, 500)])), nowSeconds: Self.now)
        try await store.set(phone, nil, nowSeconds: Self.now)
        try await settle(store)
        #expect(try await steps(of: store) == 500)
    }

    @Test("Any order, any grouping and any repeat give the same minutes", arguments: 1...30 as ClosedRange<UInt64>)
    func orders(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var told: [WordSweepTests.Told] = []
        for _ in 0..<6 {
            let start = Int64.random(in: -300...300, using: &random) * 60
            let length = ([60, 90, 600, 3_600, 5_000, 86_400] as [Int64]).randomElement(using: &random) ?? 60
            told.append((start, start + length, Double(Int.random(in: 0...900, using: &random)) / 4))
        }
        let all = rows(told)
        let expected = WordSweepTests.claims(Array(Set(all.map(\.word)))).counts.mapValues(\.steps)
        for _ in 0..<3 {
            let store = try HistoryStore.inMemory()
            var left = (all + all.filter { _ in Bool.random(using: &random) }).shuffled(using: &random)[...]
            while !left.isEmpty {
                let part = left.prefix(Int.random(in: 1...3, using: &random))
                left = left.dropFirst(part.count)
                _ = try await store.commit(HistoryChanges(words: Array(part)), nowSeconds: Self.now)
                // The process may die before the claims are made.
                if Bool.random(using: &random) { try await settle(store) }
            }
            try await settle(store)
            #expect(try await minutes(of: store) == expected)
            _ = try await steps(of: store)
        }
    }

    @Test("What samples cover is not claimed, whichever comes first, also of long ago", arguments: StoreKind.available)
    func besideSamples(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        let first = Self.hour / 60 - 12 * 1440
        func walk(_ minutes: Range<Int64>) async throws {
            let rows = minutes.map { MinuteRow(phone, first + $0, revision: UInt64(900 + $0), steps: 100) }
            _ = try await store.commit(HistoryChanges(rows: rows), nowSeconds: Self.now)
            try await settle(store)
        }
        try await walk(0..<30)
        let start = -12 * WordSweepTests.day
        try await keep(rows([(start, start + 3_600, 6_000)]), in: store)
        #expect(try await steps(of: store) == 3_000 + 3_000)
        try await walk(30..<45)
        #expect(try await steps(of: store) == 4_500 + 1_500)
        // No total was shown, even for a moment, that had both.
        #expect(try await store.device(phone)?.published?.steps ?? 6_000 == 6_000)
    }

    @Test("Three hundred days come in one commit, and their claims in small ones")
    func many() async throws {
        let store = try await folder.store(.sqlite)
        let days = (0..<300).map { -(Int64($0) + 1) * WordSweepTests.day }
        let all = rows(days.map { ($0, $0 + WordSweepTests.day, 5_000) })
        _ = try await store.commit(HistoryChanges(words: all), nowSeconds: Self.now)
        var count = 0
        while try await store.makeDue(nowMinute: Self.now / 60) != nil { count += 1 }
        #expect(count >= 300)
        #expect(try await steps(of: store) == 1_500_000)
    }

    @Test("Erased minutes take their part of words, and refuse it", arguments: StoreKind.available)
    func erased(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        let day = rows([(0, 3_600, 600), (3_600, 7_200, 600), (-3_600, 14_400, 1_500)])
        try await keep(day, in: store)
        #expect(try await steps(of: store) == 1_500)
        let first = Self.hour / 60
        try await store.erase(phone, in: first..<first + 90)
        try await settle(store)
        let left = try await minutes(of: store)
        // Half of the second hour, and of the whole what stands beside the hours.
        #expect(left.values.reduce(0, +) == 600)
        #expect(left.keys.allSatisfy { !(first..<first + 90).contains($0) })
        // The counter sends everything again.
        try await keep(day, in: store)
        #expect(try await minutes(of: store) == left)
        // Later words tell of what is outside.
        try await keep(rows([(7_200, 10_800, 300)], from: 9), in: store)
        #expect(try await steps(of: store) == 700)
    }

    @Test("A device that is forgotten leaves no word", arguments: StoreKind.available)
    func forgotten(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await keep(rows([(0, 3_600, 600)]), in: store)
        try await store.erase(phone, in: 0..<Self.now / 60 + 60, isWhole: true)
        #expect(try await store.device(phone) == nil)
        try await keep(rows([(0, 3_600, 600)]), in: store)
        #expect(try await store.device(phone)?.counts.steps ?? 0 == 0)
    }

    @Test("Of minutes that went no word brings anything back", arguments: StoreKind.available)
    func retention(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        let day = WordSweepTests.day
        let start = -(Self.hour % day)
        let all = rows((0..<4).map { (start + $0 * day, start + ($0 + 1) * day, 1_000) })
        try await keep(all, in: store)
        let horizon = (Self.hour + start + 2 * day) / 60
        while try await store.compact(phone, before: horizon) > 0 {}
        #expect(try await store.device(phone)?.compactedMinute == horizon)
        try await keep(rows((0..<2).map { (start + $0 * day, start + ($0 + 1) * day, 5_000) }, from: 20), in: store)
        #expect(try await store.device(phone)?.counts.steps == 4_000)
        // One that reaches out of them tells of the rest.
        try await keep(rows([(start + 2 * day - 600, start + 2 * day + 600, 200)], from: 30), in: store)
        let total = try await store.sums(of: phone, in: [0..<DayCalendar.minutes.upperBound])[0].counts.steps
        #expect(total == 4_000)
    }

    @Test("A device says no more words of a day than the limit")
    func limit() async throws {
        let store = try await folder.store(.sqlite)
        let start = -(Self.hour % WordSweepTests.day)
        let count = StoreCommit.maximumWordsADay + 10
        let all = rows((0..<count).map { (start + $0 * 20, start + $0 * 20 + 20, 1) })
        let outcome = try await store.commit(HistoryChanges(words: all), nowSeconds: Self.now)
        #expect(outcome.refusedRows == 10)
        try await settle(store)
        #expect(try await steps(of: store) == StoreCommit.maximumWordsADay)
    }
}
