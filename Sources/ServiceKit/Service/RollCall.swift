import MQTT
import ServiceLifecycle
import Synchronization
package import Wire

/// Asks the instances of a service who is there, and what each owns.
///
/// An instance that begins asks before it reads anything: what is retained is not found by every broker, and may be of
/// one that is gone. So only those count that answer now.
package enum RollCall {
    /// How long instances have to answer, in seconds from the moment that the question is on the bus.
    package static let patienceSeconds = 1.5
    /// How long is asked again where those who answer are not enough, in seconds: a bus in a failover may keep question
    /// and answers so long.
    package static let deadlineSeconds = 10.0

    /// The instances that answer in time; it waits for a broker that is away.
    ///
    /// - Parameter isEnough: False of the instances that have answered where others must be there: then it is asked
    ///   again until ``deadlineSeconds`` have passed.
    /// - Throws: `MQTTError` where the broker refuses.
    package static func run(
        _ service: ServiceName, on bus: BusSettings,
        until isEnough: @escaping @Sendable ([InstanceStatus]) -> Bool = { _ in true }
    ) async throws -> [InstanceStatus] {
        let name = "stridebus-call-" + String(UInt64.random(in: .min ... .max), radix: 36)
        let consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(
                endpoint: bus.endpoint, clientID: name + "-in", version: bus.version),
            subscriptions: [MQTTSubscription("\(bus.topics.root)/service/\(service.rawValue)/+/status")])
        let producer = MQTTProducer(
            configuration: MQTTConnectionConfiguration(
                endpoint: bus.endpoint, clientID: name + "-out", version: bus.version))
        let answers = Answers()
        let ended: Result<Void, any Error>
        do {
            try await withGracefulShutdownHandler {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    var isAsked = false
                    for try await batch in consumer.batches {
                        for message in batch where !message.isRetained {
                            guard case .instanceStatus(service, _)? = try? bus.topics.parse(message.topic),
                                let status = try? InstanceStatus(json: message.payload)
                            else { continue }
                            answers.note(status)
                        }
                        batch.acknowledge()
                        guard batch.connection != nil, !isAsked else { continue }
                        isAsked = true
                        group.addTask {
                            defer { consumer.stop() }
                            try await ask(service, bus.topics, producer) { isEnough(answers.all) }
                        }
                    }
                    group.cancelAll()
                    do { try await group.waitForAll() } catch is CancellationError {}
                }
            } onGracefulShutdown: {
                consumer.stop()
            }
            ended = .success(())
        } catch {
            ended = .failure(error)
        }
        consumer.stop()
        await producer.stop()
        try ended.get()
        return answers.all.sorted { $0.instance < $1.instance }
    }

    private static func ask(
        _ service: ServiceName, _ topics: TopicTree, _ producer: MQTTProducer, until isEnough: () -> Bool
    ) async throws {
        let deadline = ContinuousClock.now + .seconds(deadlineSeconds)
        repeat {
            try await producer.publish(MQTTPublication(topic: topics.bytes(.call(service)), payload: []))
            try await Task.sleep(for: .seconds(patienceSeconds))
        } while !isEnough() && ContinuousClock.now < deadline
    }
}

/// The newest answer of each run of an instance.
private final class Answers: Sendable {
    private let online = Mutex<[String: InstanceStatus]>([:])

    var all: [InstanceStatus] { online.withLock { Array($0.values) } }

    func note(_ status: InstanceStatus) {
        online.withLock { $0[status.run] = status.status == .online ? status : nil }
    }
}
