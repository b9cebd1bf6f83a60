import Logging
import MQTT
import ServiceKit
import Synchronization
import Wire

/// Reads what is retained of history's own totals, after each connection of the producer and before anything is
/// published over it.
///
/// The broker lets only one history of a root publish: once the producer is connected, no other one changes what is
/// retained. The retained messages are read over a connection of their own, by `day`, `total` and history's `health`,
/// in this order. Then health is published: once it comes back all that was retained has come.
struct RetainedReader: Sendable {
    /// The number of the producer's connection.
    let connection: UInt64
    let configuration: HistoryConfiguration
    let producer: MQTTProducer
    let logger: Logger

    /// The time between two marks, in seconds.
    static let markSeconds = 1
    /// The marks that a broker may take while nothing at all comes from it: then it does not let history read.
    static let maximumMarks = 30

    /// Gives everything that is retained, a batch at a time.
    /// - Parameter health: What is published as the mark.
    /// - Returns: Whether totals may be published over the connection; false where it is over.
    func run(mark health: ServiceHealth, _ take: @escaping @Sendable ([RetainedValue]) async -> Void) async -> Bool {
        let topics = configuration.bus.topics
        let mark = MQTTPublication(topic: topics.bytes(.serviceHealth(.history)), payload: health.encodedJSON())
        // At most once, because a broker may send that past what waits for its answer.
        let reader = MQTTConsumer(
            configuration: configuration.retainedConnection,
            subscriptions: [
                topics.filter(every: .day), topics.filter(every: .total), topics.text(.serviceHealth(.history)),
            ].map { MQTTSubscription($0, qos: .atMostOnce) })
        let marks = Marks()
        let isRead = await withTaskGroup(of: Bool.self) { group in
            group.addTask { await read(reader, mark, marks, take) }
            group.addTask { await repeatMark(mark, marks) }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        reader.stop()
        await reader.waitUntilStopped()
        return isRead
    }

    private func read(
        _ reader: MQTTConsumer, _ mark: MQTTPublication, _ marks: Marks, _ take: ([RetainedValue]) async -> Void
    ) async -> Bool {
        let topics = configuration.bus.topics
        do {
            for try await batch in reader.batches {
                var (values, isMarked): ([RetainedValue], Bool) = ([], false)
                for message in batch {
                    switch try? topics.parse(message.topic) {
                    case .device(let device, .total)?:
                        if let read = try? DeviceTotals(json: message.payload) { values.append(.total(device, read)) }
                    case .device(let device, .day)?:
                        if let read = try? DayTotals(json: message.payload) { values.append(.day(device, read)) }
                    case .serviceHealth(.history)? where !message.isRetained: isMarked = true
                    default: break
                    }
                }
                let isSubscribed = batch.connection != nil
                batch.acknowledge()
                marks.unanswered.store(0, ordering: .relaxed)
                await take(values)
                if isMarked { return true }
                if isSubscribed { try? await producer.publish([mark], overConnection: connection) }
            }
            return false
        } catch {
            guard !Task.isCancelled, producer.connectionNumber == connection else { return false }
            logger.warning("retained totals cannot be read: they may fall once", metadata: ["error": "\(error)"])
            return true
        }
    }

    /// A mark that was published before the subscription was in force never comes back.
    private func repeatMark(_ mark: MQTTPublication, _ marks: Marks) async -> Bool {
        while marks.unanswered.load(ordering: .relaxed) < Self.maximumMarks {
            guard (try? await Task.sleep(for: .seconds(Self.markSeconds))) != nil,
                producer.connectionNumber == connection
            else { return false }
            // A broker that refuses it does not let history read either.
            try? await producer.publish([mark], overConnection: connection)
            marks.unanswered.add(1, ordering: .relaxed)
        }
        logger.warning("the broker sends history nothing of its own topics: retained totals may fall once")
        return true
    }

    /// The marks that the broker took since anything came.
    private final class Marks: Sendable {
        let unanswered = Atomic(0)
    }
}
