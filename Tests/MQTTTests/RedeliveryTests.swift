import PrivateBroker
import Foundation
import MQTT
import Testing

@Suite("At least once", .timeLimit(.minutes(5)))
struct RedeliveryTests {
    @Test("A batch that is released without acknowledgement comes again", arguments: [MQTTVersion.v311, .v5])
    func abandoned(version: MQTTVersion) async throws {
        try await withBroker { broker in
            let consumer = try MQTTConsumer(
                configuration: MQTTConnectionConfiguration(
                    broker, id: "in", version: version, sessionExpirySeconds: 60),
                subscriptions: [MQTTSubscription("t")])
            _ = try await consumer.subscribed()
            let producer = try MQTTProducer(configuration: MQTTConnectionConfiguration(broker, id: "out"))
            try await producer.publish(MQTTPublication("t", "x"))
            #expect(try await abandonOne(consumer) == "x")
            var session: MQTTSessionInfo?
            for try await batch in consumer.batches {
                if let connection = batch.connection { session = connection }
                batch.acknowledge()
                guard let message = batch.first else { continue }
                #expect(message.payloadText == "x")
                break
            }
            #expect(session?.sessionPresent == true)
            #expect(session?.connectionNumber == 2)
            consumer.stop()
            await producer.stop()
        }
    }

    @Test("Stopped without an acknowledgement, the messages come to the next one")
    func stoppedWhileHeld() async throws {
        try await withBroker { broker in
            let configuration = try MQTTConnectionConfiguration(broker, id: "in", sessionExpirySeconds: 60)
            let first = MQTTConsumer(configuration: configuration, subscriptions: [MQTTSubscription("t")])
            _ = try await first.subscribed()
            let producer = try MQTTProducer(configuration: MQTTConnectionConfiguration(broker, id: "out"))
            try await producer.publish(MQTTPublication("t", "x"))
            #expect(try await abandonOne(first) { first.stop() } == "x")
            await first.waitUntilStopped()
            let second = MQTTConsumer(configuration: configuration, subscriptions: [MQTTSubscription("t")])
            #expect(try await second.payloads(count: 1) == ["x"])
            second.stop()
            await producer.stop()
        }
    }

    @Test("A process that dies loses nothing that it had not committed", arguments: ["before", "after"])
    func crash(death: String) async throws {
        try await withBroker { broker in
            let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
            defer { try? FileManager.default.removeItem(atPath: file) }
            let count = 1_000
            func consume(_ limit: Int, _ death: String) async throws -> Int32 {
                try await ChildProgram(["consume", broker.url, "c", "t", file, String(limit), death]).exitCode()
            }
            // Makes the session, and is itself the first death: with nothing received it ends at once.
            #expect(try await consume(0, "never") == 0)
            let producer = try MQTTProducer(configuration: MQTTConnectionConfiguration(broker, id: "out"))
            try await producer.publish((0..<count).map { MQTTPublication("t", String($0)) })
            for limit in [1, 150, 300] {
                #expect(try await consume(limit, death) == 9)
            }
            let missing = count - Set(try lines(of: file)).count
            if missing > 0 { try await finish(broker: broker, file: file, count: count) }
            let committed = try lines(of: file)
            #expect(Set(committed) == Set((0..<count).map(String.init)))
            // Who dies between commit and acknowledgement gets the batch again: counting once needs an identity check.
            if death == "after" { #expect(committed.count > count) }
            await producer.stop()
        }
    }

    /// Takes what is left of the session, in this process.
    private func finish(broker: EmbeddedBroker, file: String, count: Int) async throws {
        let consumer = try MQTTConsumer(
            configuration: MQTTConnectionConfiguration(broker, id: "c", sessionExpirySeconds: 600),
            subscriptions: [MQTTSubscription("t")])
        var seen = Set(try lines(of: file))
        for try await batch in consumer.batches {
            let payloads = batch.map(\.payloadText)
            let text = payloads.map { $0 + "\n" }.joined()
            let handle = try #require(FileHandle(forWritingAtPath: file))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(text.utf8))
            try handle.close()
            batch.acknowledge()
            seen.formUnion(payloads)
            if seen.count == count { break }
        }
        consumer.stop()
        await consumer.waitUntilStopped()
    }

    private func lines(of file: String) throws -> [String] {
        try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// Takes a message and lets go of its batch.
    private func abandonOne(_ consumer: MQTTConsumer, meanwhile: () -> Void = {}) async throws -> String? {
        for try await batch in consumer.batches {
            guard let message = batch.first else { continue }
            meanwhile()
            return message.payloadText
        }
        return nil
    }
}
