import MQTT
import ServiceLifecycle
package import Wire

/// Asks the instances of a service who is there, and what each owns.
///
/// An instance that begins asks before it reads anything: what is retained is not found by every broker, and may be of
/// one that is gone. So only those count that answer now.
package enum RollCall {
    /// How long instances have to answer, in seconds from the moment that the question is on the bus.
    package static let patienceSeconds = 1.5

    /// The instances that answer in time; it waits for a broker that is away.
    ///
    /// - Parameter isEnough: Ends the wait where it is true of those that have answered so far.
    /// - Throws: `MQTTError` where the broker refuses.
    package static func run(
        _ service: ServiceName, on bus: BusSettings, seconds: Double = patienceSeconds,
        until isEnough: ([InstanceStatus]) -> Bool = { _ in false }
    ) async throws -> [InstanceStatus] {
        let name = "stridebus-call-" + String(UInt64.random(in: .min ... .max), radix: 36)
        let consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(
                endpoint: bus.endpoint, clientID: name + "-in", version: bus.version),
            subscriptions: [MQTTSubscription("\(bus.topics.root)/service/\(service.rawValue)/+/status")])
        let producer = MQTTProducer(
            configuration: MQTTConnectionConfiguration(
                endpoint: bus.endpoint, clientID: name + "-out", version: bus.version))
        var found: [String: InstanceStatus] = [:]
        var deadline: Task<Void, any Error>?
        defer { deadline?.cancel() }
        do {
            try await withGracefulShutdownHandler {
                for try await batch in consumer.batches {
                    for message in batch where !message.isRetained {
                        guard case .instanceStatus(service, _)? = try? bus.topics.parse(message.topic),
                            let status = try? InstanceStatus(json: message.payload)
                        else { continue }
                        found[status.run] = status.status == .online ? status : nil
                    }
                    batch.acknowledge()
                    if batch.connection != nil, deadline == nil {
                        try await producer.publish(
                            MQTTPublication(topic: bus.topics.bytes(.call(service)), payload: []))
                        deadline = Task {
                            try await Task.sleep(for: .seconds(seconds))
                            consumer.stop()
                        }
                    }
                    if isEnough(Array(found.values)) { break }
                }
            } onGracefulShutdown: {
                consumer.stop()
            }
        } catch {
            consumer.stop()
            await producer.stop()
            throw error
        }
        consumer.stop()
        await producer.stop()
        return found.values.sorted { $0.instance < $1.instance }
    }
}
