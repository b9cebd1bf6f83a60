import Logging
import MQTT
import ServiceKit
import Synchronization
import Wire

/// History's bus: what counters and operators send, and the requests for rows.
final class HistoryLink: HistoryBus, Sendable {
    private let configuration: HistoryConfiguration
    private let publisher: HistoryPublisher
    private let inputs: BatchInputs
    /// The batches that are being kept.
    private let batches = Mutex<[MQTTBatch]>([])

    init(_ configuration: HistoryConfiguration, _ publisher: HistoryPublisher, _ inputs: BatchInputs) {
        (self.configuration, self.publisher, self.inputs) = (configuration, publisher, inputs)
    }

    func next() async throws -> [HistoryInput]? {
        guard let read = try await inputs.next() else { return nil }
        batches.withLock { $0 = read }
        var inputs: [HistoryInput] = []
        if read.contains(where: { $0.connection != nil }) {
            await publisher.noteReading(counts: true)
            inputs.append(.connected)
        }
        for message in read.joined() {
            if let status = configuration.homeAssistantStatusTopic, message.topic.elementsEqual(status.utf8) {
                // It may have been retained since long ago.
                let isStart = !message.isRetained && message.payload.elementsEqual("online".utf8)
                if isStart { await publisher.publishEverythingAgain() }
            } else {
                inputs.append(self.read(message))
            }
        }
        return inputs
    }

    private func read(_ message: MQTTMessage) -> HistoryInput {
        publisher.inputGuard.read(message.payload, on: message.topic) {
            HistoryInput(
                topic: message.topic, payload: message.payload, isRetained: message.isRetained,
                in: configuration.bus.topics)
        } ?? .nothing
    }

    func acknowledge() {
        batches.withLock { batches in
            for batch in batches { batch.acknowledge() }
            batches = []
        }
    }

    func ask(_ request: CountsResend) { publisher.askForRows(request) }
    func publish(_ outcome: CommitOutcome) async { await publisher.noteCommit(outcome) }
    func reportLogins(refused: UInt64, from addresses: [String]) async {
        await publisher.noteLogins(refused: refused, from: addresses)
    }
    func report(_ tally: HistoryCounters, isMissing: Bool) async {
        await publisher.noteKeeping(tally, isMissing: isMissing)
    }
}

/// The store, with the patience that keeping counts needs.
struct PatientStore: CountsStore {
    /// So often a whole batch is tried that the database refuses.
    private static let refusalsOfAll = 3
    /// The days of minutes that are made between two batches.
    private static let dueDays = 4

    let store: HistoryStore
    let publisher: HistoryPublisher
    let clock: @Sendable () -> Double
    let logger: Logger

    var lostConnections: UInt64 { store.database.lostConnections }

    func cursors() async -> [ChainCursor]? {
        do { return try await store.cursors() } catch {
            // The next connection to the database is another chance, and what is missing shows as a gap.
            logger.warning("the positions of the counters cannot be read", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Tries until it is done: the batch stays with the broker meanwhile and nothing more is read, so a full disk costs
    /// no memory. Only what patience does not mend is thrown, and at a shutdown the batch is left to the broker.
    ///
    /// A database that is there and refuses again and again refuses something in the batch: that alone is left out.
    func commit(_ changes: HistoryChanges, _ watch: CommitWatch) async throws -> CommitOutcome {
        let outcome = try await patiently { refusals in
            let nowSeconds = Int64(clampingSeconds: clock())
            guard refusals >= Self.refusalsOfAll else {
                return try await store.commit(changes, nowSeconds: nowSeconds, watch: watch)
            }
            return try await store.commitInParts(changes, nowSeconds: nowSeconds) { part, error in
                logger.error(
                    "left out, because the store refuses it", metadata: ["what": "\(part)", "error": "\(error)"])
            }
        }
        if let device = outcome.late.keys.min() {
            logger.warning(
                "left out, because only sums are kept of these days",
                metadata: ["rows": "\(outcome.lateRows)", "devices": "\(outcome.late.count)", "such as": "\(device)"])
        }
        return outcome
    }

    /// The same; what the database refuses again and again stays due.
    func makeDue(_ watch: CommitWatch) async throws -> CommitOutcome? {
        try await patiently { refusals in
            guard refusals < Self.refusalsOfAll else { return nil }
            return try await store.makeDue(
                days: Self.dueDays, nowMinute: Int64(clampingSeconds: clock()) / 60, watch: watch)
        }
    }

    /// - Parameter work: Is given how often the database has refused it in a row.
    private func patiently<Outcome>(_ work: (Int) async throws -> Outcome) async throws -> Outcome {
        let backoff = MQTTBackoff(minimumSeconds: 0.1, maximumSeconds: 5)
        var refusals = 0
        return try await withRetry(backoff: backoff) { error in
            await publisher.noteFailedCommit()
            guard let error = error as? HistoryError, error.isTransient else { return true }
            if case .store(.database) = error { refusals += 1 } else { refusals = 0 }
            logger.error("a commit failed and is tried again", metadata: ["error": "\(error)"])
            return false
        } _: {
            try await work(refusals)
        }
    }
}
