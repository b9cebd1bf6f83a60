import MQTT
import Synchronization
package import Wire

/// Looks on the bus whether another instance with another store does the same work: two would take the messages from
/// each other, and each would have a part of them. One probe looks once: before the service connects under its name, or
/// beside its work, for a rival that started in the same moment.
package struct RivalProbe: Sendable {
    /// How long retained words may take after the subscription, in milliseconds.
    static let settleMilliseconds = 250
    /// The time between two looks, in milliseconds.
    static let lookMilliseconds = 50

    /// The longest time between two healths that is waited for, in seconds.
    static let longestHealthSeconds = 60.0

    private let consumer: MQTTConsumer
    private let topics: TopicTree
    private let windowSeconds: Int
    private let shared: Shared

    private final class Shared: Sendable {
        let view: Mutex<RivalView>
        let isListening = Atomic(false)
        let isOver = Atomic(false)

        init(_ view: RivalView) {
            self.view = Mutex(view)
        }
    }

    /// A look that is to be made.
    /// - Parameters:
    ///   - bus: Where the broker is.
    ///   - service: Whose other instances are looked for.
    ///   - own: What this one claims.
    ///   - healthSeconds: The time between two healths of the service.
    package init(bus: BusSettings, service: ServiceName, own: StoreClaim, healthSeconds: Double) {
        topics = bus.topics
        // Whoever is alive tells its health at least once in this time.
        windowSeconds = Int(2 * min(max(healthSeconds, 0), Self.longestHealthSeconds)) + 1
        shared = Shared(RivalView(own: own))
        let name = "stridebus-\(service.rawValue)-probe-" + String(UInt64.random(in: .min ... .max), radix: 36)
        consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(endpoint: bus.endpoint, clientID: name, version: bus.version),
            subscriptions: [
                MQTTSubscription(topics.text(.serviceStatus(service))),
                MQTTSubscription(topics.text(.serviceHealth(service))),
            ])
    }

    /// Waits for the broker, and then as long as there is a doubt: a rival that is alive speaks within its health's
    /// time.
    ///
    /// - Returns: Whether one speaks.
    /// - Throws: `CancellationError`.
    package func findsRival() async throws -> Bool {
        let reading = Task { await read() }
        defer {
            consumer.stop()
            reading.cancel()
        }
        while !shared.isListening.load(ordering: .relaxed) {
            // The service's own connections tell better why there is none.
            guard !shared.isOver.load(ordering: .relaxed) else { return false }
            try await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
        }
        try await Task.sleep(for: .milliseconds(Self.settleMilliseconds))
        for _ in 0..<windowSeconds * 1000 / Self.lookMilliseconds {
            let (isDoubtful, hasSpoken) = shared.view.withLock { ($0.isDoubtful, $0.hasSpoken) }
            if hasSpoken || !isDoubtful { return hasSpoken }
            try await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
        }
        return false
    }

    /// Listens until a rival speaks to which this instance has to yield, until it is stopped, or cancelled.
    ///
    /// - Parameter yield: Called at once when one speaks.
    /// - Returns: Whether one has spoken.
    package func hearsRival(yield: @Sendable () -> Void) async -> Bool {
        await withTaskCancellationHandler {
            await read()
        } onCancel: {
            consumer.stop()
        }
        consumer.stop()
        let isToYield = shared.view.withLock { $0.isToYield }
        if isToYield { yield() }
        return isToYield
    }

    /// Ends the listening.
    package func stop() { consumer.stop() }

    private func read() async {
        do {
            for try await batch in consumer.batches {
                for message in batch { take(message) }
                batch.acknowledge()
                if shared.view.withLock({ $0.isToYield }) { return }
                if batch.connection != nil { shared.isListening.store(true, ordering: .relaxed) }
            }
        } catch {
            // Told by the connections of the service itself, which meet the same broker.
        }
        shared.isOver.store(true, ordering: .relaxed)
    }

    private func take(_ message: MQTTMessage) {
        guard let topic = try? topics.parse(message.topic) else { return }
        switch topic {
        case .serviceStatus: shared.view.withLock { $0.take(status: message.payload) }
        case .serviceHealth:
            guard let health = try? ServiceHealth(json: message.payload) else { return }
            shared.view.withLock { $0.take(health: health, isRetained: message.isRetained) }
        default: break
        }
    }
}
