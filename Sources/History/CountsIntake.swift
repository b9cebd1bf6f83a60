import Logging
import MQTT
import ServiceLifecycle
import Wire

/// Takes in what the counter and the operator publish: a batch of messages is one transaction, and is acknowledged
/// only when that is on the disk.
struct CountsIntake<Store: HistoryStore>: Sendable {
    let store: Store
    let topics: TopicTree
    let pipeline: SharedPipeline
    let board: SharedBoard
    let signal: NoticeSignal
    let telemetry: HistoryTelemetry
    let presence: Presence
    let now: @Sendable () -> Double
    let logger: Logger

    /// The waits between two tries of a commit that failed, in seconds: doubled from the first to the last.
    static var commitRetrySeconds: ClosedRange<Double> { 0.1...5 }

    /// Takes in batches until the consumer is stopped.
    func run(_ batches: MQTTBatches) async throws {
        for try await batch in batches {
            if batch.connection != nil { presence.countsSubscribed() }
            let nowSeconds = now()
            let changes = pipeline.withLock { pipeline in
                if let connection = batch.connection { pipeline.connected(sessionPresent: connection.sessionPresent) }
                for message in batch { read(message, into: &pipeline, nowSeconds: nowSeconds) }
                return pipeline.takeChanges()
            }
            if !changes.isEmpty { try await commit(changes) }
            batch.acknowledge()
        }
    }

    /// Tries until it is done: the batch stays with the broker meanwhile and nothing more is read, so a full disk
    /// costs no memory. Only what patience cannot mend is thrown, and at a shutdown the batch is left to the broker.
    private func commit(_ changes: HistoryChanges) async throws {
        var wait = Self.commitRetrySeconds.lowerBound
        while true {
            do throws(HistoryError) {
                note(try await store.commit(changes, nowSeconds: Int64(clampingSeconds: now())))
                return
            } catch {
                telemetry.count(.commitFailures)
                guard error.isTransient, !Task.isShuttingDownGracefully else { throw error }
                logger.error("a commit failed and is tried again", metadata: ["error": "\(error)"])
                try await Task.sleep(for: .seconds(wait))
                wait = min(wait * 2, Self.commitRetrySeconds.upperBound)
            }
        }
    }

    private func note(_ outcome: CommitOutcome) {
        telemetry.count(.commits)
        telemetry.count(.rowsApplied, outcome.appliedRows)
        telemetry.count(.rowsRepeated, outcome.repeatedRows)
        telemetry.count(.rowsRefused, outcome.refusedRows)
        telemetry.count(.rowsTooOld, outcome.lateRows)
        board.change(outcome.changedDevices)
        if outcome.hasNotices { signal.raise() }
    }

    private func read(_ message: MQTTMessage, into pipeline: inout HistoryPipeline, nowSeconds: Double) {
        do throws(WireError) {
            switch try topics.parse(message.topic) {
            case .counts: try readCounts(message, into: &pipeline, nowSeconds: nowSeconds)
            case .device(let device, .config):
                pipeline.receive(try Self.settings(message.payload), of: device)
                telemetry.count(.configs)
            case .serviceStatus(.counter):
                if !message.isRetained, message.payload.elementsEqual("online".utf8) { pipeline.askAgain() }
            default: throw .unknownTopic
            }
        } catch {
            telemetry.refuse(error)
        }
    }

    private func readCounts(
        _ message: MQTTMessage, into pipeline: inout HistoryPipeline, nowSeconds: Double
    ) throws(WireError) {
        guard !message.isRetained else { throw .retainedData }
        pipeline.receive(try CountsBatch(decoding: message.payload), nowSeconds: nowSeconds)
    }

    /// A device's settings; nil where the operator has removed them with an empty message.
    private static func settings(_ payload: UnsafeRawBufferPointer) throws(WireError) -> DeviceSettings? {
        guard !payload.isEmpty else { return nil }
        return try DeviceSettings(DeviceConfig(json: payload))
    }
}
