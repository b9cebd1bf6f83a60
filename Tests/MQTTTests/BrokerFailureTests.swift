import PrivateBroker
import Foundation
import MQTT
import Testing
import Watched

@Suite("When the broker fails", .timeLimit(.minutes(5)))
struct BrokerFailureTests {
    @Test("What is published while the broker is dead arrives after its restart")
    func publishWhileDead() async throws {
        try await withBroker { broker in
            let producer = try MQTTProducer(configuration: MQTTConnectionConfiguration(broker, id: "out"))
            try await producer.publish(MQTTPublication("warm-up", "x"))
            broker.kill()
            await broker.ended()
            async let published: Void = producer.publish(retained(300))
            try await broker.restart()
            try await published
            #expect(try await retainedTopics(broker, count: 300) == Set(retained(300).map(\.topic)))
            await producer.stop()
        }
    }

    @Test("What is in flight when the broker is killed arrives after its restart")
    func killInFlight() async throws {
        try await withBroker { broker in
            let producer = try MQTTProducer(configuration: MQTTConnectionConfiguration(broker, id: "out"))
            try await producer.publish(MQTTPublication("warm-up", "x"))
            broker.pause()
            async let published: Void = producer.publish(retained(300))
            await until { producer.queuedMessages == 300 }
            broker.kill()
            try await broker.restart()
            try await published
            #expect(try await retainedTopics(broker, count: 300) == Set(retained(300).map(\.topic)))
            await producer.stop()
        }
    }

    @Test("A silent broker is noticed by the answers that it owes, before two keep-alives are over")
    func silence() async throws {
        try await withBroker { broker in
            let producer = try MQTTProducer(configuration: MQTTConnectionConfiguration(broker, id: "out"))
            let consumer = try MQTTConsumer(
                configuration: MQTTConnectionConfiguration(broker, id: "in"), subscriptions: [MQTTSubscription("t")])
            _ = try await consumer.subscribed()
            try await producer.publish(MQTTPublication("warm-up", "x"))
            let producerEvents = producer.events
            let consumerEvents = consumer.events
            broker.pause()
            let paused = ContinuousClock.now
            #expect(await reasonOfLoss(producerEvents) == .keepAliveTimeout)
            #expect(await reasonOfLoss(consumerEvents) == .keepAliveTimeout)
            #expect(paused.duration(to: .now) < .seconds(10))
            consumer.stop()
            broker.resume()
            await producer.stop()
        }
    }

    @Test("Whoever hears of a connection can offer at once")
    func offerAtNews() async throws {
        try await withBroker { broker in
            for number in 0..<50 {
                let producer = try MQTTProducer(configuration: MQTTConnectionConfiguration(broker, id: "out-\(number)"))
                for await state in producer.events {
                    guard case .connected = state else { continue }
                    #expect(producer.offer(MQTTPublication("t", "birth")))
                    break
                }
                await producer.stop()
            }
        }
    }

    @Test("With a dead broker publishing waits and the queue stays at its limit")
    func boundedQueue() async throws {
        let broker = try await EmbeddedBroker.start()
        let configuration = try MQTTConnectionConfiguration(broker, id: "out")
        await broker.stop()
        let producer = MQTTProducer(
            configuration: configuration, limits: MQTTProducerLimits(maximumQueuedMessages: 10, stopSeconds: 0.1))
        let messages = (0..<1_000).map { MQTTPublication("t", String($0)) }
        let publishing = Task { try await producer.publish(messages) }
        await until { producer.queuedMessages == 10 }
        #expect(!producer.offer(MQTTPublication("t", "live", qos: .atMostOnce)))
        #expect(producer.droppedCount == 1)
        publishing.cancel()
        await #expect(throws: CancellationError.self) { try await publishing.value }
        let waiting = Task { try await producer.publish(messages) }
        for await case .disconnected(let error) in producer.events where error.isRetriable { break }
        #expect(producer.queuedMessages == 10)
        await producer.stop()
        let error = await #expect(throws: MQTTError.self) { try await waiting.value }
        #expect(error?.code == .stopped)
    }

    @Test("A consumer that meets no broker waits for it, and a stop ends the wait")
    func stopWhileUnconnected() async throws {
        let broker = try await EmbeddedBroker.start()
        let configuration = try MQTTConnectionConfiguration(broker, id: "in")
        await broker.stop()
        let consumer = MQTTConsumer(configuration: configuration, subscriptions: [MQTTSubscription("t")])
        for await state in consumer.events {
            if case .disconnected(let error) = state {
                #expect(error.code == .unreachable)
                break
            }
        }
        consumer.stop()
        #expect(try await consumer.payloads(count: 1) == [])
        await consumer.waitUntilStopped()
    }

    private func retained(_ count: Int) -> [MQTTPublication] {
        (0..<count).map { MQTTPublication("kept/\($0)", "x", retain: true) }
    }

    private func retainedTopics(_ broker: EmbeddedBroker, count: Int) async throws -> Set<[UInt8]> {
        let consumer = try MQTTConsumer(
            configuration: MQTTConnectionConfiguration(broker, id: "reader"),
            subscriptions: [MQTTSubscription("kept/#")])
        var topics: Set<[UInt8]> = []
        for try await batch in consumer.batches {
            for message in batch { topics.insert(Array(message.topic)) }
            batch.acknowledge()
            if topics.count == count { break }
        }
        consumer.stop()
        return topics
    }

    private func reasonOfLoss(_ events: AsyncStream<MQTTConnectionState>) async -> MQTTError.Code? {
        for await case .disconnected(let error) in events { return error.code }
        return nil
    }
}
