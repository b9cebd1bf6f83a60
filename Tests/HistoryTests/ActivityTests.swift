import Seeded
import Testing
import Wire

@testable import History

@Suite("Stretches of activity")
struct ActivityTests {
    let watch: DeviceID
    let folder: TemporaryFolder
    static let start: Int64 = 29_919_900

    init() throws {
        watch = try DeviceID("watch-3")
        folder = try TemporaryFolder()
    }

    @Test("Minutes of one activity are one stretch; another activity and a gap begin a new one")
    func stretches() {
        var segmenter = ActivitySegmenter()
        for minute in 0..<5 as Range<Int64> { segmenter.add(Self.record(minute, [.walking: 60_000], steps: 100)) }
        segmenter.add(Self.record(5, [.walking: 20_000, .cycling: 40_000]))
        segmenter.add(Self.record(8, [.cycling: 60_000]))
        segmenter.finish()
        let found = segmenter.segments.map { ($0.start / 60 - Double(Self.start), $0.end / 60 - Double(Self.start)) }
        #expect(found.map(\.0) == [0, 5, 8])
        #expect(found.map(\.1) == [5, 6, 9])
        #expect(segmenter.segments.map(\.activity) == [.walking, .cycling, .cycling])
        #expect(segmenter.segments.map(\.confidence) == [.high, .medium, .high])
        #expect(segmenter.segments[0].steps == 500)
    }

    @Test("What is not recognised is never sure, and a minute without any activity is no stretch")
    func unknown() {
        var segmenter = ActivitySegmenter()
        segmenter.add(Self.record(0, [.unknown: 60_000]))
        segmenter.add(Self.record(1, [:]))
        segmenter.finish()
        #expect(segmenter.segments.map(\.confidence) == [.low])
    }

    @Test("Pages put together are the whole, and nothing overlaps", arguments: 1...8 as ClosedRange<UInt64>)
    func pages(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let store = try folder.store()
        var activity = ActivityKind.walking
        var rows: [MinuteTotals] = []
        for minute in 0..<4000 as Range<Int64> where Int.random(in: 0..<40, using: &random) > 0 {
            if Int.random(in: 0..<30, using: &random) == 0 {
                activity = ActivityKind.allCases.randomElement(using: &random) ?? .walking
            }
            var row = MinuteTotals(
                device: watch, minute: Self.start + minute, epoch: 1, revision: UInt64(minute) + 1)
            row.steps = 10
            row.activityMilliseconds[Int(activity.rawValue)] = 60_000
            rows.append(row)
        }
        _ = try await store.keep(rows)
        let whole = try await ask(store, limit: nil, cursor: nil)
        #expect(whole.cursor == nil)
        #expect(whole.segments.reduce(0) { $0 + $1.steps } == UInt64(rows.count) * 10)
        for (one, next) in zip(whole.segments, whole.segments.dropFirst()) { #expect(one.end <= next.start) }
        var pages: [ActivitySegment] = []
        var cursor: String?
        repeat {
            let page = try await ask(store, limit: Int.random(in: 1...9, using: &random), cursor: cursor)
            pages += page.segments
            cursor = page.cursor
        } while cursor != nil
        #expect(pages == whole.segments)
    }

    private func ask(_ store: HistoryStore, limit: Int?, cursor: String?) async throws -> ActivityData {
        let answers = HistoryAnswers(store: store)
        let request = HistoryRequest(
            verb: .historyActivity, device: watch, from: .instant(seconds: Double(Self.start) * 60),
            to: .instant(seconds: Double(Self.start + 5000) * 60), limit: limit, cursor: cursor)
        switch await answers.reply(to: request, nowSeconds: Double(Self.start) * 60) {
        case .ok(_, let data): return try ActivityData(json: data)
        case .error(_, let error): throw error
        }
    }

    private static func record(
        _ minute: Int64, _ activity: [ActivityKind: Int64], steps: Int64 = 0
    ) -> MinuteRecord {
        var sum = CountSum()
        sum.counts.steps = steps
        for (kind, milliseconds) in activity { sum.activityMilliseconds[Int(kind.rawValue)] = milliseconds }
        return MinuteRecord(minute: start + minute, sum: sum)
    }
}
