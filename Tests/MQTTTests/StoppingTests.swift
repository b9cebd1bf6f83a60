import MQTT
import PrivateBroker
import TestBroker
import Testing
import Watched

@Suite("A producer that is stopped", .timeLimit(.minutes(5)))
struct StoppingTests {
    /// What a peer has read, packet types in their order.
    private final class Packets: Sendable {
        private let types = Watched<[UInt8]>([])
        var all: [UInt8] { types.now }
        func note(_ type: UInt8) { types.change { $0.append(type & 0xF0) } }
        func wait(for count: Int) async { await types.wait { $0.count >= count } }
    }

    @Test("It goes on until the last PUBACK, and only then says DISCONNECT")
    func drains() async throws {
        let packets = Packets()
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let peer = try ScriptedPeer([
            { connection in
                defer { end.finish() }
                try connection.accept()
                var bodies: [[UInt8]] = []
                for _ in 0..<3 { bodies.append(try connection.expect(0x30)) }
                packets.note(0x40)
                for body in bodies { try connection.write([0x40, 2, body[3], body[4]]) }
                packets.note(try connection.read().type)
            }
        ])
        defer { peer.stop() }
        let producer = MQTTProducer(configuration: configuration(peer, .v311))
        for await case .connected in producer.events { break }
        for _ in 0..<3 { #expect(producer.offer(MQTTPublication("t", "x"))) }
        #expect(await producer.stop() == 0)
        for await _ in ended {}
        #expect(packets.all == [0x40, 0xE0])
        #expect(!producer.offer(MQTTPublication("t", "x")))
    }

    @Test("What the broker does not answer within the limit is told, and the will is left to be said for it")
    func givesUp() async throws {
        let packets = Packets()
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let peer = try ScriptedPeer([
            { connection in
                defer { end.finish() }
                try connection.accept()
                while true { packets.note(try connection.read().type) }
            }
        ])
        defer { peer.stop() }
        let limits = MQTTProducerLimits(maximumQueuedMessages: 2, stopSeconds: 0.1)
        let producer = MQTTProducer(configuration: configuration(peer, .v311), limits: limits)
        for await case .connected in producer.events { break }
        let publishing = Task { try await producer.publish((0..<5).map { MQTTPublication("t", "\($0)") }) }
        await packets.wait(for: 2)
        #expect(await producer.stop() == 5)
        let error = await #expect(throws: MQTTError.self) { try await publishing.value }
        #expect(error?.code == .stopped)
        for await _ in ended {}
        #expect(packets.all.prefix(2) == [0x30, 0x30] && !packets.all.contains(0xE0))
    }

    @Test("A broker publishes the will of a producer that could not say its last word, and none of one that could")
    func will() async throws {
        try await TestBroker.with { bus in
            for (isAnswered, word) in [(false, "gone"), (true, "bye")] {
                let topic = "status/\(word)"
                var configuration = bus.connection(word)
                configuration.will = MQTTPublication(topic, "gone", retain: true)
                let producer = MQTTProducer(
                    configuration: configuration, limits: MQTTProducerLimits(stopSeconds: isAnswered ? 60 : 0.05))
                for await case .connected in producer.events { break }
                if !isAnswered { bus.broker.pause() }
                // More than may wait for their PUBACKs at a time, so that a broker that wakes later finds no last word.
                for _ in 1..<1_000 { producer.offer(MQTTPublication("elsewhere", "x")) }
                #expect(producer.offer(MQTTPublication(topic, "bye", retain: true)))
                #expect((await producer.stop() == 0) == isAnswered)
                if !isAnswered { bus.broker.resume() }
                let isHeard = try await hears(word, on: topic, of: bus)
                #expect(isHeard)
            }
        }
    }

    private func hears(_ word: String, on topic: String, of bus: TestBroker) async throws -> Bool {
        let consumer = MQTTConsumer(
            configuration: bus.connection("late"),
            subscriptions: [MQTTSubscription(topic)])
        var isHeard = false
        for try await batch in consumer.batches {
            isHeard = batch.contains { $0.payloadText == word }
            batch.acknowledge()
            if isHeard { break }
        }
        await consumer.end()
        return isHeard
    }

    private func configuration(_ peer: ScriptedPeer, _ version: MQTTVersion) -> MQTTConnectionConfiguration {
        MQTTConnectionConfiguration(
            endpoint: MQTTEndpoint(host: "127.0.0.1", port: peer.port), clientID: "test", version: version)
    }
}
