import MQTT
import Synchronization
import Wire

extension StrideBus {
    /// The number of messages that are kept for a listener, unless it wants fewer.
    private static let maximumWaiting = 10_000

    /// Messages on channels of a device from now on, in order of arrival, over a connection of their own. The stream ends
    /// when the bus is closed, or the connection has failed for good.
    /// - Parameter newest: How many are kept for a listener that is slow; older ones are dropped.
    func messages(
        of device: DeviceID, on channels: DeviceChannel..., newest: Int = maximumWaiting
    ) -> AsyncStream<[UInt8]> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: [UInt8].self, bufferingPolicy: .bufferingNewest(newest))
        let name = "stride-listener-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        let consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: name, version: version),
            subscriptions: channels.map { MQTTSubscription(topics.text(.device(device, $0))) })
        continuation.onTermination = { [listeners] _ in listeners.remove(consumer) }
        listeners.add(consumer)
        Task {
            do {
                for try await batch in consumer.batches {
                    for message in batch { continuation.yield(Array(message.payload)) }
                    batch.acknowledge()
                }
            } catch {
                // Nothing more is heard.
            }
            continuation.finish()
        }
        return stream
    }
}

/// The connections that listen to devices. They end with the bus.
final class Listeners: Sendable {
    /// Nil once the bus is closed.
    private let consumers = Mutex<[ObjectIdentifier: MQTTConsumer]?>([:])

    func add(_ consumer: MQTTConsumer) {
        let isOver = consumers.withLock { consumers in
            consumers?[ObjectIdentifier(consumer)] = consumer
            return consumers == nil
        }
        if isOver { consumer.stop() }
    }

    func remove(_ consumer: MQTTConsumer) {
        consumer.stop()
        _ = consumers.withLock { $0?.removeValue(forKey: ObjectIdentifier(consumer)) }
    }

    func end() async {
        let all = consumers.withLock { consumers in
            defer { consumers = nil }
            return consumers.map { Array($0.values) } ?? []
        }
        for consumer in all { consumer.stop() }
        for consumer in all { await consumer.waitUntilStopped() }
    }
}

/// The requests that wait for an answer, by transaction.
///
/// A continuation is resumed exactly once, by the code that takes it out of the table: the answer, the deadline or the
/// end of the connection.
final class PendingReplies: Sendable {
    private struct State {
        var waiting: [String: CheckedContinuation<[UInt8], any Error>] = [:]
        var ending: StrideClientError?
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
    }

    /// Waits for the answer to a transaction, at most until the task is cancelled. `start` sends the request.
    func wait(for transaction: String, start: () -> Void) async throws -> [UInt8] {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let refusal = state.withLock { state -> (any Error)? in
                    if let ending = state.ending { return ending }
                    guard state.waiting.count < limit else { return StrideClientError.tooManyRequests }
                    // A cancellation that came before found nothing to end.
                    guard !Task.isCancelled else { return CancellationError() }
                    state.waiting[transaction] = continuation
                    return nil
                }
                if let refusal { continuation.resume(throwing: refusal) } else { start() }
            }
        } onCancel: {
            take(transaction)?.resume(throwing: CancellationError())
        }
    }

    /// Whether somebody still waits for the answer.
    func isAwaited(_ transaction: String) -> Bool { state.withLock { $0.waiting[transaction] != nil } }

    /// Gives an answer to its waiting request; an answer without one is dropped.
    func answer(_ transaction: String, _ data: Result<[UInt8], StrideClientError>) {
        take(transaction)?.resume(with: data.mapError { $0 as any Error })
    }

    private func take(_ transaction: String) -> CheckedContinuation<[UInt8], any Error>? {
        state.withLock { $0.waiting.removeValue(forKey: transaction) }
    }

    /// Fails every wait, current and future.
    func end(_ error: StrideClientError) {
        let waiting = state.withLock { state in
            state.ending = state.ending ?? error
            defer { state.waiting.removeAll() }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume(throwing: error) }
    }
}
