import MQTT
import TestBroker
import Testing

@Suite("A batch", .timeLimit(.minutes(5)))
struct BatchTests {
    @Test("It has no more messages than its limit, and one may be larger than the limit of bytes")
    func limits() async throws {
        try await TestBroker.with { bus in
            let consumer = bus.consumer("t", limits: MQTTBatchLimits(maximumMessages: 7, maximumBytes: 100))
            try await consumer.subscribed()
            let producer = bus.producer()
            let large = MQTTPublication(topic: "t", payload: Array(repeating: 0x61, count: 1_000_000))
            try await producer.publish((0..<50).map { MQTTPublication("t", String($0)) } + [large])
            var sizes: [Int] = []
            for try await batch in consumer.batches {
                #expect(batch.count <= 7)
                sizes += batch.map(\.payload.count)
                batch.acknowledge()
                if sizes.count == 51 { break }
            }
            #expect(sizes.last == 1_000_000)
        }
    }

    @Test(
        "A long spacing keeps a batch open until it is full, or has the size that is worth a commit",
        arguments: [
            MQTTBatchLimits(maximumMessages: 5, spacingMilliseconds: 3_600_000),
            // Each message has a topic of one byte and a payload of one.
            MQTTBatchLimits(spacingMilliseconds: 3_600_000, spacingBytes: 10),
        ])
    func spacing(limits: MQTTBatchLimits) async throws {
        try await TestBroker.with { bus in
            let consumer = bus.consumer("t", limits: limits)
            try await consumer.subscribed()
            let producer = bus.producer()
            let sending = Task {
                while !Task.isCancelled { try await producer.publish(MQTTPublication("t", "x")) }
            }
            var sizes: [Int] = []
            for try await batch in consumer.batches {
                sizes.append(batch.count)
                batch.acknowledge()
                if sizes.count == 10 { break }
            }
            sending.cancel()
            _ = await sending.result
            // What is read at once is one batch, so that it may be larger than what is worth a commit.
            #expect(sizes.allSatisfy { (5...limits.maximumMessages).contains($0) })
        }
    }

    @Test("One that is kept stays readable while later ones come")
    func keptBatch() async throws {
        try await TestBroker.with { bus in
            let consumer = bus.consumer("t", limits: MQTTBatchLimits(maximumMessages: 1))
            try await consumer.subscribed()
            let producer = bus.producer()
            let expected = (0..<20).map(String.init)
            try await producer.publish(expected.map { MQTTPublication("t", $0) })
            var kept: [MQTTBatch] = []
            for try await batch in consumer.batches {
                kept.append(batch)
                batch.acknowledge()
                #expect(!batch.acknowledge())
                if kept.count == expected.count { break }
            }
            #expect(kept.flatMap { $0.map(\.payloadText) } == expected)
        }
    }

    @Test("One that is held for too long comes again, and its acknowledgement says so")
    func heldTooLong() async throws {
        try await TestBroker.with { bus in
            let consumer = bus.consumer("t", sessionExpirySeconds: 60, limits: MQTTBatchLimits(maximumHoldSeconds: 0.1))
            try await consumer.subscribed()
            let producer = bus.producer()
            try await producer.publish(MQTTPublication("t", "x"))
            var payloads: [String] = []
            for try await batch in consumer.batches {
                payloads += batch.map(\.payloadText)
                if payloads.count == 1, !batch.isEmpty {
                    for await case .disconnected(let error) in consumer.events {
                        #expect(error.code == .batchHeldTooLong)
                        break
                    }
                    #expect(!batch.acknowledge())
                }
                batch.acknowledge()
                if payloads.count == 2 { break }
            }
            #expect(payloads == ["x", "x"])
        }
    }
}
