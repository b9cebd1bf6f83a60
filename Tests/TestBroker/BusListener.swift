package import MQTT
import Testing
package import Wire

/// What a test hears on the bus, kept in order, so that nothing is missed between two waits. It listens as long as it
/// is kept.
package final class BusListener {
    /// A message, copied.
    package struct Heard {
        package var topic: String
        package var payload: [UInt8]
        package var correlationData: [UInt8]?
        package var isRetained: Bool

        package var text: String { String(decoding: payload, as: UTF8.self) }

        /// The data of a reply.
        package func data<Data: JSONPayload>(_: Data.Type) throws -> Data {
            guard case .ok(_, let data) = try HistoryReply(json: payload) else { throw WireError.malformed }
            return try Data(json: data)
        }
    }

    private let consumer: MQTTConsumer
    private var batches: MQTTBatches.AsyncIterator
    package private(set) var heard: [Heard] = []

    /// Listens from now on: returns when the subscriptions are in force.
    package init(_ configuration: MQTTConnectionConfiguration, filters: [String]) async throws {
        consumer = MQTTConsumer(configuration: configuration, subscriptions: filters.map { MQTTSubscription($0) })
        batches = consumer.batches.makeAsyncIterator()
        try await listen()
    }

    /// Waits for a message; the suite's time limit is the deadline, and then it is told what was heard instead.
    @discardableResult
    package func wait(for topic: String, where matches: (Heard) -> Bool = { _ in true }) async throws -> Heard {
        var index = 0
        while true {
            while index < heard.count {
                if heard[index].topic == topic, matches(heard[index]) { return heard[index] }
                index += 1
            }
            do {
                try await listen()
            } catch {
                let last = heard.last { $0.topic == topic }?.text ?? "nothing"
                Issue.record("the message on \(topic) never came; the last there was: \(last)")
                throw error
            }
        }
    }

    /// Waits until messages have come on so many topics, and returns all that there were.
    @discardableResult
    package func wait(untilHeard count: Int) async throws -> [Heard] {
        try await wait { Set($0.map(\.topic)).count >= count }
        return heard
    }

    /// Waits until all that was heard is as wanted.
    package func wait(_ isHeard: ([Heard]) -> Bool) async throws {
        while !isHeard(heard) { try await listen() }
    }

    private func listen() async throws {
        guard let batch = try await batches.next() else { throw CancellationError() }
        heard += batch.map { message in
            Heard(
                topic: String(decoding: message.topic, as: UTF8.self), payload: Array(message.payload),
                correlationData: message.correlationData.map { Array($0) }, isRetained: message.isRetained)
        }
        batch.acknowledge()
    }
}
