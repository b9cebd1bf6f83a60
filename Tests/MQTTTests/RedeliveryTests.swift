import Foundation
import MQTT
import PrivateBroker
import TestBroker
import Testing

@Suite("At least once", .timeLimit(.minutes(5)))
struct RedeliveryTests {
    private let folder = TemporaryFolder()

    @Test("A batch that is released without acknowledgement comes again", arguments: [MQTTVersion.v311, .v5])
    func abandoned(version: MQTTVersion) async throws {
        try await TestBroker.with { bus in
            let consumer = bus.consumer("t", version: version, sessionExpirySeconds: 60)
            try await consumer.subscribed()
            let producer = bus.producer()
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
        }
    }

    @Test("Stopped without an acknowledgement, the messages come to the next one")
    func stoppedWhileHeld() async throws {
        try await TestBroker.with { bus in
            let configuration = bus.connection("in", sessionExpirySeconds: 60)
            let first = MQTTConsumer(configuration: configuration, subscriptions: [MQTTSubscription("t")])
            try await first.subscribed()
            let producer = bus.producer()
            try await producer.publish(MQTTPublication("t", "x"))
            #expect(try await abandonOne(first) { first.stop() } == "x")
            await first.waitUntilStopped()
            let second = MQTTConsumer(configuration: configuration, subscriptions: [MQTTSubscription("t")])
            #expect(try await second.payloads(count: 1) == ["x"])
        }
    }

    @Test("A process that dies loses nothing that it had not committed", arguments: ["before", "after"])
    func crash(death: String) async throws {
        try await TestBroker.with { bus in
            let file = folder.path + "/lines"
            let count = 1_000
            func consume(_ limit: Int, _ death: String) async throws -> Int32 {
                let arguments = ["consume", bus.broker.url, "c", "t", file, String(limit), death]
                return try await Program(arguments, named: "CrashingConsumer").exitCode()
            }
            // Makes the session, and is itself the first death: with nothing received it ends at once.
            #expect(try await consume(0, "never") == 0)
            let producer = bus.producer()
            try await producer.publish((0..<count).map { MQTTPublication("t", String($0)) })
            for limit in [1, 150, 300] {
                let code = try await consume(limit, death)
                #expect(code == 9)
            }
            let missing = count - Set(try lines(of: file)).count
            if missing > 0 { try await finish(bus, file: file, count: count) }
            let committed = try lines(of: file)
            #expect(Set(committed) == Set((0..<count).map(String.init)))
            // Who dies between commit and acknowledgement gets the batch again: counting once needs an identity check.
            if death == "after" { #expect(committed.count > count) }
        }
    }

    /// Takes what is left of the session, in this process.
    private func finish(_ bus: TestBroker, file: String, count: Int) async throws {
        let consumer = bus.consumer("t", id: "c", sessionExpirySeconds: 600)
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
        await consumer.end()
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
