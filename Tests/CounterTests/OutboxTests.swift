import Logging
import MQTT
import Synchronization
import TestBroker
import Testing
import Wire

@testable import Counter

/// A broker of one line: it takes publications, or does not.
private final class ScriptedBroker: Sendable {
    private let taken = Mutex<[CountsBatch]>([])
    private let isDown = Mutex(false)

    var batches: [CountsBatch] { taken.withLock { $0 } }

    func set(down: Bool) { isDown.withLock { $0 = down } }

    func publish(_ publication: MQTTPublication) throws {
        guard !isDown.withLock({ $0 }) else { throw MQTTError(.connectionLost, "down") }
        let batch = try publication.payload.withUnsafeBytes { try CountsBatch(decoding: $0) }
        taken.withLock { $0.append(batch) }
    }
}

@Suite("The outbox sends each change, in a chain that shows gaps")
struct OutboxTests {
    private let folder = TemporaryFolder()
    private let broker = ScriptedBroker()
    private let device: DeviceID = "walker-1"

    private func outbox(_ store: CounterStore) async throws -> Outbox {
        let broker = broker
        return try await Outbox(
            store: store, topics: try TopicTree(), partitions: .all, counters: CounterCounters(),
            logger: Logger(label: "test"),
            publish: { try broker.publish($0) })
    }

    private func add(_ minutes: Range<Int64>, to store: CounterStore, _ outbox: Outbox) async throws {
        let increments = minutes.map { MinuteIncrement(device, $0, [.steps: 1]) }
        try await store.commit(CounterCommit(increments), nowMicroseconds: 1)
        await outbox.noteRows()
    }

    @Test("Rows are sent once, in batches whose revisions join")
    func chain() async throws {
        let store = try CounterStore(directory: folder.path)
        let outbox = try await outbox(store)
        try await add(0..<1000, to: store, outbox)
        try await outbox.drain()
        try await outbox.drain()
        try await add(0..<10, to: store, outbox)
        try await outbox.drain()
        #expect(broker.batches.map(\.rows.count) == [400, 400, 200, 10])
        #expect(broker.batches.map(\.previousRevision) == [0, 400, 800, 1000])
        #expect(broker.batches.map(\.lastRevision) == [400, 800, 1000, 1010])
        #expect(broker.batches.last?.rows.allSatisfy { $0.steps == 2 } == true)
    }

    @Test("What the broker did not take is sent after a restart, coalesced")
    func afterFailure() async throws {
        do {
            let store = try CounterStore(directory: folder.path)
            let outbox = try await outbox(store)
            broker.set(down: true)
            for _ in 0..<5 {
                try await add(0..<3, to: store, outbox)
                await #expect(throws: MQTTError.self) { try await outbox.drain() }
            }
            try store.close()
        }
        broker.set(down: false)
        let store = try CounterStore(directory: folder.path)
        try await outbox(store).drain()
        #expect(broker.batches.count == 1)
        #expect(broker.batches.first?.rows.map(\.steps) == [5, 5, 5])
        #expect(try await store.published() == 15)
    }

    @Test("History gets again what it missed, and everything when it knows another store")
    func resend() async throws {
        let store = try CounterStore(directory: folder.path)
        let outbox = try await outbox(store)
        try await add(0..<10, to: store, outbox)
        try await outbox.drain()
        let other = store.epoch &+ 1
        try await outbox.resend(CountsResend(revisions: [other: 9, store.epoch: 7]))
        try await outbox.drain()
        try await outbox.resend(CountsResend(revisions: [other: 9]))
        try await outbox.drain()
        #expect(broker.batches.map(\.rows.count) == [10, 3, 10])
        #expect(broker.batches.map(\.previousRevision) == [0, 7, 0])
    }

    @Test("A history that has more than the store has made is refused: the store is an old copy")
    func oldCopy() async throws {
        let store = try CounterStore(directory: folder.path)
        let outbox = try await outbox(store)
        try await add(0..<10, to: store, outbox)
        await #expect(throws: CounterError.historyIsNewer(path: store.path, revision: 11)) {
            try await outbox.resend(CountsResend(revisions: [store.epoch: 11]))
        }
        try await outbox.resend(CountsResend(revisions: [store.epoch: 10]))
    }

    @Test("A request that comes while rows are on their way is not lost")
    func resendInFlight() {
        var cursor = OutboxCursor(stored: 5)
        cursor.rewind(to: 2)
        cursor.advance(from: 5, through: 9)
        #expect(cursor.published == 2)
        cursor.advance(from: cursor.published, through: 9)
        #expect(cursor.published == 9)
    }
}
