import History
import Seeded
import TestBroker
import Testing
import Wire

@Suite("Stretches of activity")
struct ActivityTests {
    let watch: DeviceID = "watch-3"
    let folder = StoreFolder()
    static let start: Int64 = 29_919_900

    @Test("Minutes of one activity are one stretch; another activity and a gap begin a new one")
    func stretches() async throws {
        let store = try folder.store()
        var rows = (0..<5).map { row($0, [.walking: 60_000], steps: 100) }
        rows += [row(5, [.walking: 20_000, .cycling: 40_000]), row(8, [.cycling: 60_000])]
        _ = try await store.keep(rows)
        let segments = try await segments(store)
        #expect(segments.map { $0.start / 60 - Double(Self.start) } == [0, 5, 8])
        #expect(segments.map { $0.end / 60 - Double(Self.start) } == [5, 6, 9])
        #expect(segments.map(\.activity) == [.walking, .cycling, .cycling])
        #expect(segments.map(\.confidence) == [1, 0.67, 1])
        #expect(segments.map(\.steps) == [500, 0, 0])
    }

    @Test("What is not recognised is never sure, and a minute without any activity is no stretch")
    func unknown() async throws {
        let store = try folder.store()
        _ = try await store.keep([row(0, [.unknown: 60_000]), row(1, [:])])
        #expect(try await segments(store).map(\.confidence) == [0])
    }

    @Test("Pages put together are the whole, and nothing overlaps", arguments: 1...8 as ClosedRange<UInt64>)
    func pages(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let store = try folder.store()
        var activity = ActivityKind.walking
        var rows: [MinuteRow] = []
        for minute in 0..<4000 as Range<Int64> where Int.random(in: 0..<40, using: &random) > 0 {
            if Int.random(in: 0..<30, using: &random) == 0 {
                activity = ActivityKind.allCases.randomElement(using: &random) ?? .walking
            }
            rows.append(row(minute, [activity: 60_000], steps: 10))
        }
        _ = try await store.keep(rows)
        let whole = try await segments(store)
        #expect(whole.reduce(0) { $0 + $1.steps } == UInt64(rows.count) * 10)
        for (one, next) in zip(whole, whole.dropFirst()) { #expect(one.end <= next.start) }
        let pages: [[ActivitySegment]] = try await store.pages(
            of: request, limit: .random(in: 1...9, using: &random), at: Double(Self.start) * 60)
        #expect(pages.flatMap(\.self) == whole)
    }

    private var request: HistoryRequest {
        HistoryRequest(
            verb: .historyActivity, device: watch, from: .instant(seconds: Double(Self.start) * 60),
            to: .instant(seconds: Double(Self.start + 5000) * 60))
    }

    /// All stretches, which come in one page.
    private func segments(_ store: HistoryStore) async throws -> [ActivitySegment] {
        let page: Page<ActivitySegment> = try await store.ask(request, at: Double(Self.start) * 60)
        #expect(page.cursor == nil)
        return page.rows
    }

    private func row(_ minute: Int64, _ activity: [ActivityKind: Int64], steps: Int64 = 0) -> MinuteRow {
        MinuteRow(watch, Self.start + minute, revision: UInt64(minute) + 1, steps: steps) { row in
            for (kind, milliseconds) in activity { row.counts[Amount(kind)] = milliseconds }
        }
    }
}
