import Foundation
import MQTT
import PrivateBroker
import TestBroker
import Testing
import Watched

@Suite("When the broker fails", .timeLimit(.minutes(5)))
struct BrokerFailureTests {
    @Test(
        "What is published to a dead broker, or in flight when it is killed, arrives after its restart",
        arguments: [true, false])
    func killed(isInFlight: Bool) async throws {
        try await TestBroker.with { bus in
            let producer = bus.producer()
            try await producer.publish(MQTTPublication("warm-up", "x"))
            if isInFlight { bus.broker.pause() } else { bus.broker.kill() }
            let kept = (0..<300).map { MQTTPublication("kept/\($0)", "x", retain: true) }
            async let published: Void = producer.publish(kept)
            if isInFlight {
                await until { producer.queuedMessages == kept.count }
                bus.broker.kill()
            } else {
                await bus.broker.ended()
            }
            try await bus.broker.restart()
            try await published
            let topics = try await bus.listener("kept/#").wait(untilHeard: kept.count).map(\.topic)
            #expect(Set(topics) == Set(kept.map { String(decoding: $0.topic, as: UTF8.self) }))
        }
    }

    @Test("A silent broker is noticed by the answers that it owes, before two keep-alives are over")
    func silence() async throws {
        try await TestBroker.with { bus in
            let producer = bus.producer()
            let consumer = bus.consumer("t")
            try await consumer.subscribed()
            try await producer.publish(MQTTPublication("warm-up", "x"))
            let producerEvents = producer.events
            let consumerEvents = consumer.events
            bus.broker.pause()
            let paused = ContinuousClock.now
            #expect(await reasonOfLoss(producerEvents) == .keepAliveTimeout)
            #expect(await reasonOfLoss(consumerEvents) == .keepAliveTimeout)
            #expect(paused.duration(to: .now) < .seconds(10))
            consumer.stop()
            bus.broker.resume()
        }
    }

    @Test("Whoever hears of a connection can offer at once")
    func offerAtNews() async throws {
        try await TestBroker.with { bus in
            for number in 0..<50 {
                let producer = bus.producer("out-\(number)")
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
        let configuration = try await TestBroker.with { bus in bus.connection("out") }
        let producer = MQTTProducer(
            configuration: configuration, limits: MQTTProducerLimits(maximumQueuedMessages: 10, stopSeconds: 0.1))
        let messages = (0..<1_000).map { MQTTPublication("t", String($0)) }
        let publishing = Task { try await producer.publish(messages) }
        await until { producer.queuedMessages == 10 }
        #expect(!producer.offer(MQTTPublication("t", "live", qos: .atMostOnce)))
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
        let configuration = try await TestBroker.with { bus in bus.connection("in") }
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

    private func reasonOfLoss(_ events: AsyncStream<MQTTConnectionState>) async -> MQTTError.Code? {
        for await case .disconnected(let error) in events { return error.code }
        return nil
    }
}
