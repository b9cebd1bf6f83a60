import GRDB
import ServiceKit
import TestBroker
import Testing
import Wire

@testable import Counter

@Suite("What the counter is told to forget", .timeLimit(.minutes(5)))
struct ForgettingTests {
    private let folder = TemporaryFolder()
    private let walk = Walk()
    private let minute = Walk.start / 60_000_000
    private var partition: Partition { Partition(of: walk.device) }

    private func commit(_ steps: Int64, minute offset: Int64, origin: MinuteIncrement.Origin = .samples)
        -> CounterCommit
    {
        var commit = CounterCommit([
            MinuteIncrement(walk.device, minute + offset, origin: origin, [.steps: steps, .covered: 1_500_000])
        ])
        commit.states = [CounterCommit.State(device: walk.device, bytes: [1, 2, 3])]
        return commit
    }

    private func rows(_ store: CounterStore, after revision: UInt64 = 0) async throws -> [Int64: MinuteRow] {
        let batch = try await store.counts(after: revision)
        return Dictionary(uniqueKeysWithValues: (batch?.rows ?? []).map { ($0.minute - minute, $0) })
    }

    @Test("What was forgotten goes to history as empty minutes, and what comes late for them is not counted")
    func stretch() async throws {
        let store = try CounterStore(directory: folder.path)
        for offset in 0..<4 as Range<Int64> { try await store.commit(commit(5, minute: offset), nowMicroseconds: 1) }
        try await store.commit(commit(9, minute: 1, origin: .device), nowMicroseconds: 1)
        let before = try await store.lastRevision()
        let order = CountsForget(device: walk.device, minutes: minute + 1..<minute + 3, isWhole: false)
        for _ in 0..<2 { try await store.forget(order) }
        let changed = try await rows(store, after: before)
        #expect(changed.keys.sorted() == [1, 2])
        #expect(changed.values.allSatisfy { $0.steps == 0 && $0.coveredMilliseconds == 0 })
        var forgotten: [UInt64] = []
        for offset in 0..<4 as Range<Int64> {
            forgotten += try await store.commit(commit(1, minute: offset), nowMicroseconds: 1).map(\.forgotten)
        }
        #expect(forgotten == [1, 1])
        let steps = try await rows(store).mapValues(\.steps)
        #expect(steps == [0: 6, 1: 0, 2: 0, 3: 6])
        #expect(try await store.stored(walk.device)?.state == [1, 2, 3])
    }

    @Test("A device that is forgotten has no state any more, and begins anew with what it measures later")
    func device() async throws {
        let store = try CounterStore(directory: folder.path)
        for offset in [0, 7] as [Int64] { try await store.commit(commit(5, minute: offset), nowMicroseconds: 1) }
        let order = CountsForget(device: walk.device, minutes: 0..<minute + 3, isWhole: true)
        try await store.forget(order)
        #expect(try await store.stored(walk.device)?.state == nil)
        for offset in [0, 2, 3, 7] as [Int64] { try await store.commit(commit(1, minute: offset), nowMicroseconds: 1) }
        #expect(try await rows(store).mapValues(\.steps) == [0: 0, 3: 1, 7: 1])
    }

    @Test("Nothing is remembered of devices that nobody has heard of, and of one not without end")
    func limits() async throws {
        let store = try CounterStore(directory: folder.path)
        let stranger = CountsForget(device: "nobody", minutes: 0..<9, isWhole: true)
        try await store.forget(stranger)
        #expect(try await beginnings(store).isEmpty)
        try await store.commit(commit(5, minute: 0), nowMicroseconds: 1)
        for number in 0..<120 as Range<Int64> {
            let minutes = minute + number * 10..<minute + number * 10 + 5
            try await store.forget(CountsForget(device: walk.device, minutes: minutes, isWhole: false))
        }
        let kept = try await beginnings(store)
        #expect(kept.count == CounterStore.maximumForgottenRanges && kept.contains(minute + 1190))
        try await store.forget(CountsForget(device: walk.device, minutes: 0..<minute + 9999, isWhole: true))
        #expect(try await beginnings(store).count == 1)
    }

    /// The first minutes of what is erased.
    private func beginnings(_ store: CounterStore) async throws -> [Int64] {
        try await store.read { try Int64.fetchAll($0, sql: "SELECT from_minute FROM forgotten") }
    }

    @Test("An order is obeyed though the counter dies before and after it, and the bus retains nothing of the device")
    func killed() async throws {
        try await TestBus.with { try await killed($0) }
    }

    private func killed(_ bus: TestBus) async throws {
        let configuration = bus.configuration(folder.path)
        var counter = RunningGroup(configuration)
        await bus.wait { $0.status.last == "online" }
        try await bus.publish(walk.records(seconds: 0..<60))
        let topics = [Topic.device(walk.device, .activity), .device(walk.device, .health)]
        await bus.wait { heard in
            heard.covered == 60_000 && topics.allSatisfy { heard.retained[$0]?.isEmpty == false }
        }
        await counter.kill()
        let order = CountsForget(device: walk.device, minutes: 0..<minute + 2, isWhole: true)
        try await bus.publish(.forget(partition), order.encoded())
        try await bus.publish(.forget(partition), Array("junk".utf8))
        counter = RunningGroup(configuration)
        await bus.wait { heard in heard.covered == 0 && topics.allSatisfy { heard.retained[$0]?.isEmpty == true } }
        #expect(bus.now.rows.count == 1 && bus.now.steps == 0)
        await counter.kill()
        // The device sends once more what had been counted, and then something new.
        try await bus.publish(walk.records(seconds: 0..<60))
        var later = walk
        later.boot = 2
        later.start += 180_000_000
        try await bus.publish(later.records(seconds: 0..<60))
        counter = RunningGroup(configuration)
        await bus.wait { $0.covered == 60_000 }
        let stepped = bus.now.rows.values.filter { $0.steps > 0 }.map { $0.minute - minute }
        #expect(stepped == [3])
        await bus.wait { $0.health?["refused_messages"] != nil }
        try await counter.stop()
    }
}
