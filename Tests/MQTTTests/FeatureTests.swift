import Foundation
import MQTT
import PrivateBroker
import TestBroker
import Testing

@Suite("What MQTT 5 adds, and wills", .timeLimit(.minutes(5)))
struct FeatureTests {
    private let folder = TemporaryFolder()

    @Test(
        "Response Topic, Correlation Data and Message Expiry go round, and are left out over 3.1.1",
        arguments: [MQTTVersion.v5, .v311])
    func properties(version: MQTTVersion) async throws {
        try await TestBroker.with { bus in
            let consumer = bus.consumer("ask")
            try await consumer.subscribed()
            let producer = bus.producer(version: version)
            let properties = MQTTProperties(
                responseTopic: "answer/1", correlationData: [0, 255, 7], messageExpirySeconds: 60)
            try await producer.publish([
                MQTTPublication(topic: "ask", payload: [], properties: properties), MQTTPublication("ask", "plain"),
            ])
            var count = 0
            for try await batch in consumer.batches {
                for message in batch {
                    count += 1
                    guard message.payload.isEmpty, version == .v5 else {
                        #expect(message.responseTopic == nil)
                        #expect(message.correlationData == nil)
                        #expect(message.messageExpirySeconds == nil)
                        continue
                    }
                    #expect(message.responseTopic.map { String(decoding: $0, as: UTF8.self) } == "answer/1")
                    #expect(message.correlationData.map { Array($0) } == [0, 255, 7])
                    #expect(message.messageExpirySeconds == 60)
                }
                batch.acknowledge()
                if count == 2 { break }
            }
        }
    }

    @Test("A message that the broker throws away for want of a subscriber is an error where it needs one")
    func needsSubscriber() async throws {
        try await TestBroker.with { bus in
            let producer = bus.producer()
            var message = MQTTPublication("work/1", "x")
            try await producer.publish(message)
            message.needsSubscriber = true
            await #expect { try await producer.publish(message) } throws: { error in
                (error as? MQTTError)?.code == .noSubscribers && (error as? MQTTError)?.isRetriable == true
            }
            let consumer = bus.consumer("work/+")
            try await consumer.subscribed()
            try await producer.publish(message)
            #expect(try await consumer.payloads(count: 1) == ["x"])
        }
    }

    @Test("The will of a process that dies is delivered")
    func will() async throws {
        try await TestBroker.with { bus in
            let arguments = ["consume", bus.broker.url, "mortal", "t", folder.path + "/lines", "0", "before"]
            let consumer = bus.consumer("will/#")
            try await consumer.subscribed()
            // It dies in its first batch, the one that says that it is connected.
            #expect(try await Program(arguments, named: "CrashingConsumer").exitCode() == 9)
            #expect(try await consumer.payloads(count: 1) == ["died"])
        }
    }

    @Test("A session outlives its connection and says so", arguments: [MQTTVersion.v311, .v5])
    func session(version: MQTTVersion) async throws {
        try await TestBroker.with { bus in
            let configuration = bus.connection("in", version: version, sessionExpirySeconds: 60)
            for expected in [false, true] {
                let consumer = MQTTConsumer(configuration: configuration, subscriptions: [MQTTSubscription("t")])
                let session = try await consumer.subscribed()
                #expect(session?.sessionPresent == expected)
                await consumer.end()
            }
        }
    }

    @Test("A stop ends the sequence after the batch in hand, which is acknowledged")
    func gracefulStop() async throws {
        try await TestBroker.with { bus in
            let configuration = bus.connection("in", sessionExpirySeconds: 60)
            let consumer = MQTTConsumer(configuration: configuration, subscriptions: [MQTTSubscription("t")])
            try await consumer.subscribed()
            let producer = bus.producer()
            try await producer.publish(MQTTPublication("t", "first"))
            var payloads: [String] = []
            for try await batch in consumer.batches {
                payloads += batch.map(\.payloadText)
                if !batch.isEmpty { consumer.stop() }
                #expect(batch.acknowledge())
            }
            #expect(payloads == ["first"])
            #expect(consumer.connectionState == .stopped)
            try await producer.publish(MQTTPublication("t", "second"))
            let next = MQTTConsumer(configuration: configuration, subscriptions: [MQTTSubscription("t")])
            #expect(try await next.payloads(count: 1) == ["second"])
        }
    }

    @Test("Offers go out in order when there is a connection")
    func offers() async throws {
        try await TestBroker.with { bus in
            let consumer = MQTTConsumer(
                configuration: bus.connection("in"), subscriptions: [MQTTSubscription("live", qos: .atMostOnce)])
            try await consumer.subscribed()
            let producer = bus.producer()
            try await producer.publish(MQTTPublication("warm-up", "x"))
            let expected = (0..<100).map(String.init)
            for text in expected { #expect(producer.offer(MQTTPublication("live", text, qos: .atMostOnce))) }
            #expect(try await consumer.payloads(count: 100) == expected)
            #expect(!producer.offer(MQTTPublication("li/+", "x", qos: .atMostOnce)))
        }
    }

    @Test("No broker outlives the process that started it, even one that is killed")
    func noOrphan() async throws {
        let child = try Program(["broker"], named: "CrashingConsumer")
        try await child.waitForOutput(containing: "\n")
        let port = try #require(child.outputText.split(separator: "\n").first.flatMap { Int($0) })
        let configuration = MQTTConnectionConfiguration(
            endpoint: MQTTEndpoint(host: "127.0.0.1", port: port), clientID: "out")
        let producer = MQTTProducer(configuration: configuration, limits: MQTTProducerLimits(stopSeconds: 0))
        try await producer.publish(MQTTPublication("t", "x"))
        child.send(SIGKILL)
        for await case .disconnected(let error) in producer.events where error.code == .unreachable { break }
        await producer.stop()
    }
}
