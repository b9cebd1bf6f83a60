import MQTT
import ServiceKit
import Wire

/// Short connections of a command to one broker: what is published, what of it comes back, and what is retained.
///
/// Neither a SUBACK nor a PUBACK proves a permission: Mosquitto's access list grants any subscription and filters what
/// is delivered, and over 3.1.1 it acknowledges what it throws away. So everything is tried from end to end.
struct BrokerProbe: Sendable {
    let bus: BusSettings
    /// The name of this run: the client ids and the reply topics of its own start with it.
    let name: String
    /// The longest time that one message may take from end to end, in seconds.
    let patienceSeconds: Double

    enum Outcome: Sendable, Equatable {
        case arrived(milliseconds: Double)
        /// The broker did not take it: it gave a reason over MQTT 5, or no acknowledgement.
        case refused(String)
        /// The broker refuses the subscription, so that what becomes of a message cannot be seen.
        case unreadable(String)
        /// The broker took it and it did not come back.
        case lost
    }

    /// A topic that every asker may write and read: below `reply/`.
    func ownTopic(_ level: String) -> String { bus.topics.text(.reply("\(name)/\(level)")) }

    func connection(
        _ role: String, sessionExpirySeconds: UInt32 = 0, version: MQTTVersion? = nil
    ) -> MQTTConnectionConfiguration {
        var configuration = MQTTConnectionConfiguration(
            endpoint: bus.endpoint, clientID: "\(name)-\(role)", version: version ?? bus.version,
            sessionExpirySeconds: sessionExpirySeconds)
        configuration.connectTimeoutSeconds = patienceSeconds
        // A refusal is an answer.
        configuration.refusedSubscriptionSeconds = 0
        return configuration
    }

    /// Why a connection cannot be made; `nil` when it can.
    func connectionFailure(_ version: MQTTVersion) async -> MQTTError? {
        let producer = MQTTProducer(configuration: connection("out", version: version))
        var failure: MQTTError? = MQTTError(
            .connectTimeout, "no answer in \(Int(patienceSeconds)) s: is it an MQTT broker?")
        states: for await state in producer.events {
            switch state {
            case .connecting: continue
            case .connected: failure = nil
            case .disconnected(let error), .failed(let error): failure = error
            case .stopped: break
            }
            break states
        }
        await producer.stop()
        return failure
    }

    /// Publishes on a connection of its own and ends it.
    func publish(_ publications: [MQTTPublication]) async throws {
        let producer = MQTTProducer(
            configuration: connection("out"), limits: MQTTProducerLimits(stopSeconds: Self.stopSeconds))
        do { try await withDeadline(producer) { try await producer.publish(publications) } } catch {
            await producer.stop()
            guard (error as? MQTTError)?.code == .stopped else { throw error }
            throw MQTTError(
                .notAuthorized,
                "no acknowledgement in \(Int(patienceSeconds)) s: the broker may end the connection over this topic")
        }
        await producer.stop()
    }

    /// How long a producer goes on after its timeout, in seconds.
    private static let stopSeconds = 0.5

    private func withDeadline(_ producer: MQTTProducer, _ body: () async throws -> Void) async throws {
        let deadline = Task {
            try await Task.sleep(for: .seconds(patienceSeconds))
            await producer.stop()
        }
        defer { deadline.cancel() }
        try await body()
    }

    /// Subscribes, calls `whenReady` once the subscriptions are in force, and gives each batch to `take` until that
    /// returns true or the time since then is up.
    ///
    /// - Throws: `MQTTError` of the connection, and whatever `whenReady` throws.
    func listen(
        to filters: [String], as configuration: MQTTConnectionConfiguration, seconds: Double? = nil,
        whenReady: () async throws -> Void = {},
        take: (MQTTBatch) -> Bool
    ) async throws {
        let consumer = MQTTConsumer(
            configuration: configuration, subscriptions: filters.map { MQTTSubscription($0) })
        func end(afterSeconds seconds: Double) -> Task<Void, any Error> {
            Task {
                try await Task.sleep(for: .seconds(seconds))
                consumer.stop()
            }
        }
        var deadline = end(afterSeconds: patienceSeconds)
        defer { deadline.cancel() }
        do {
            for try await batch in consumer.batches {
                let isEnough = take(batch)
                batch.acknowledge()
                if batch.connection?.connectionNumber == 1 {
                    deadline.cancel()
                    deadline = end(afterSeconds: seconds ?? patienceSeconds)
                    try await whenReady()
                }
                if isEnough { break }
            }
        } catch {
            consumer.stop()
            throw error
        }
        consumer.stop()
        await consumer.waitUntilStopped()
    }

    /// How long a retained message may take, in seconds.
    private static let retainedSeconds = 1.5

    /// A balancer that takes the nodes in turn comes to each of up to so many.
    private static let connectionsToNodes = 5

    /// A retained message that a filter finds; `nil` where there is none that is wanted. Several connections look at once:
    /// each node of RabbitMQ keeps what it got alone, and a connection comes to any of them.
    func retained(
        _ filter: String, where isWanted: @escaping @Sendable ([UInt8]) -> Bool = { _ in true }
    ) async -> [UInt8]? {
        await withTaskGroup(of: [UInt8]?.self) { group in
            for number in 0..<Self.connectionsToNodes {
                group.addTask {
                    var found: [UInt8]?
                    try? await listen(
                        to: [filter], as: connection("in-\(number)"), seconds: Self.retainedSeconds
                    ) { batch in
                        for message in batch where message.isRetained && isWanted(Array(message.payload)) {
                            found = Array(message.payload)
                        }
                        return found != nil
                    }
                    return found
                }
            }
            for await case let found? in group {
                group.cancelAll()
                return found
            }
            return nil
        }
    }

    /// Publishes to a topic and waits until the message comes back.
    func roundTrip(_ publication: MQTTPublication) async -> Outcome {
        let topic = publication.topic
        let began = ContinuousClock.now
        var arrival: Duration?
        var refusal: Outcome?
        do {
            try await listen(to: [String(decoding: topic, as: UTF8.self)], as: connection("in")) {
                do { try await publish([publication]) } catch {
                    refusal = .refused(Self.message(of: error))
                    throw error
                }
            } take: { batch in
                for message in batch
                where message.topic.elementsEqual(topic) && message.payload.elementsEqual(publication.payload) {
                    arrival = .now - began
                }
                return arrival != nil
            }
        } catch {
            return refusal ?? .unreadable(Self.message(of: error))
        }
        guard let arrival else { return .lost }
        return .arrived(milliseconds: arrival / .milliseconds(1))
    }

    static func message(of error: any Error) -> String {
        (error as? MQTTError)?.message ?? "\(error)"
    }
}
