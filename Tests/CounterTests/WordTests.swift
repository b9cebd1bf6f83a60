import Seeded
import TestBroker
import Testing
@testable import Wire

@testable import Counter

@Suite("Words of intervals, on their way to history")
struct WordTests {
    private let device: DeviceID = "phone"
    private static let epoch: UInt64 = 7

    private func record(_ start: Int64, _ end: Int64, _ steps: UInt64) -> MotionRecord {
        let count = DeviceStepCount(
            kind: .interval, steps: steps, startMicroseconds: Walk.start + start * 1_000_000,
            endMicroseconds: Walk.start + end * 1_000_000, boot: BootID(rawValue: 0))
        return MotionRecord(device: device, arrivalMicroseconds: Walk.start + 90_000_000_000, content: .steps(count))
    }

    private func told(_ store: CounterStore) async throws -> [WordRow] {
        try await store.counts(after: 0)?.words ?? []
    }

    @Test("The store keeps the last word about a stretch, and says which changed nothing")
    func outcomes() async throws {
        let store = try CounterStore(inMemory: Self.epoch)
        var pipeline = CounterPipeline()
        func say(_ words: [(Int64, Int64, UInt64)]) async throws -> [StoringOutcome] {
            for (start, end, steps) in words { pipeline.accept(record(start, end, steps)) }
            let outcomes = try await store.commit(pipeline.takeCommit(), nowMicroseconds: 1)
            pipeline.note(outcomes)
            return outcomes
        }
        #expect(try await say([(0, 600, 700), (600, 1200, 300)]).isEmpty)
        #expect(try await say([(0, 600, 700), (0, 600, 700)]).map(\.repeated) == [2])
        #expect(try await say([(0, 600, 650)]).isEmpty)
        // Its parts say as much, and more than once: minutes stand within their ten.
        #expect(try await say([(0, 60, 290), (60, 120, 150), (0, 1200, 950)]).map(\.overlapped) == [1])
        #expect(try await say([(0, 3600, 951)]).isEmpty)
        let words = try await told(store)
        #expect(words.map(\.word.microSteps) == [300, 650, 290, 150, 950, 951].map { $0 * 1_000_000 })
        #expect(words.map(\.revision) == [2, 3, 4, 5, 6, 7] && words.allSatisfy { $0.epoch == Self.epoch })
        #expect(try await store.counts(after: 4)?.words.map(\.revision) == [5, 6, 7])
    }

    @Test("Words within one second say no more than can be made in it, in whatever order they come")
    func withinASecond() async throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let store = try CounterStore(inMemory: Self.epoch)
            // Five steps in a millisecond each, thousands of times in ten seconds.
            let words = (0..<2_000).map { number in
                let start = Walk.start + Int64(number) * 5_000
                return WordRow(device: device, word: StepWord(start: start, end: start + 1_000, microSteps: 5_000_000)!)
            }
            var commit = CounterCommit()
            commit.words = words.shuffled(using: &random)
            let outcomes = try await store.commit(commit, nowMicroseconds: 1)
            let kept = try await told(store)
            #expect(outcomes.map(\.implausible) == [UInt64(words.count - kept.count)])
            #expect((5...22).contains(kept.count), "within a second of any word there is at most another one")
        }
    }

    @Test("Forgotten minutes take their words along, and no word of them is kept again")
    func forgotten() async throws {
        let store = try CounterStore(inMemory: Self.epoch)
        var pipeline = CounterPipeline()
        func say(_ words: [(Int64, Int64, UInt64)]) async throws {
            for (start, end, steps) in words { pipeline.accept(record(start, end, steps)) }
            try await store.commit(pipeline.takeCommit(), nowMicroseconds: 1)
        }
        try await say([(0, 600, 700), (600, 1200, 300)])
        let minute = Walk.start / 60_000_000
        try await store.forget(CountsForget(device: device, minutes: minute..<minute + 10, isWhole: false))
        #expect(try await told(store).map(\.word.microSteps) == [300_000_000])
        try await say([(0, 600, 700), (0, 660, 800)])
        // Of one that reaches out history takes what is outside.
        #expect(try await told(store).map(\.word.microSteps) == [300_000_000, 800_000_000])
    }

    @Test("Words go when history has confirmed them and their time is over")
    func pruned() async throws {
        let store = try CounterStore(inMemory: Self.epoch)
        var pipeline = CounterPipeline()
        for (start, end) in [(0, 600), (600, 1200)] as [(Int64, Int64)] { pipeline.accept(record(start, end, 100)) }
        try await store.commit(pipeline.takeCommit(), nowMicroseconds: 1)
        let minute = (Walk.start + 600_000_000) / 60_000_000
        #expect(try await store.prune(beforeMinute: minute) == 0)
        try await store.setPublished(2)
        try await store.setConfirmed(2)
        #expect(try await store.prune(beforeMinute: minute) == 1)
        #expect(try await told(store).count == 1)
    }
}
