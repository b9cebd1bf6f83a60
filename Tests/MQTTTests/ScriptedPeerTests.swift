import MQTT
import TestBroker
import Testing
import Watched

@Suite("With a peer that misbehaves", .timeLimit(.minutes(5)))
struct ScriptedPeerTests {
    private let backoff = MQTTBackoff(minimumSeconds: 0.01, maximumSeconds: 0.05)

    @Test("A publication without its PUBACK is sent again on the next connection")
    func disconnectBeforePUBACK() async throws {
        let peer = try ScriptedPeer([
            { connection in
                try connection.accept()
                try connection.expect(0x30)
            },
            { connection in
                try connection.accept()
                let body = try connection.expect(0x30)
                // Topic "t": two bytes of length and one of text, then the message id.
                try connection.write([0x40, 2, body[3], body[4]])
                try connection.drain()
            },
        ])
        defer { peer.stop() }
        let producer = MQTTProducer(configuration: configuration(peer))
        try await producer.publish(MQTTPublication("t", "x"))
        #expect(peer.connections == 2)
        #expect(producer.queuedMessages == 0)
        await producer.stop()
    }

    @Test("A publication at which the broker closes every connection is refused, and those behind it come through")
    func closedAtOnePublication() async throws {
        let peer = try ScriptedPeer([
            { connection in
                try connection.accept()
                while true {
                    let packet = try connection.read()
                    guard packet.type & 0xF0 == 0x30 else { continue }
                    // A topic of one letter: "u" is not this user's.
                    if packet.body[2] == UInt8(ascii: "u") { return }
                    try connection.write([0x40, 2, packet.body[3], packet.body[4]])
                }
            }
        ])
        defer { peer.stop() }
        let producer = MQTTProducer(configuration: configuration(peer))
        let error = await #expect(throws: MQTTError.self) {
            try await producer.publish([MQTTPublication("t", "x"), MQTTPublication("u", "x")])
        }
        #expect(error?.code == .refused && error?.isRetriable == false)
        #expect(error?.message.contains("'u'") == true)
        try await producer.publish(MQTTPublication("t", "y"))
        #expect(producer.queuedMessages == 0)
        await producer.stop()
    }

    @Test("A producer over MQTT 5 starts clean and asks for no session after its end")
    func producerWithoutSession() async throws {
        let isClean = Watched(false)
        let peer = try ScriptedPeer([
            { connection in
                // CONNECT: name and version (7 bytes), flags, keep-alive (2 bytes), length of the properties.
                let body = try connection.expect(0x10)
                let properties = body[11..<11 + Int(body[10])]
                // 0x11 is Session Expiry Interval.
                if body[7] & 2 != 0, !properties.contains(0x11) { isClean.change { $0 = true } }
                try connection.write([0x20, 3, 0, 0, 0])
                try connection.drain()
            }
        ])
        defer { peer.stop() }
        var configuration = configuration(peer)
        configuration.version = .v5
        let producer = MQTTProducer(configuration: configuration)
        for await case .connected in producer.events { break }
        #expect(isClean.now)
        await producer.stop()
    }

    @Test("A peer that never sends CONNACK is given up and tried again")
    func noCONNACK() async throws {
        let peer = try ScriptedPeer([
            { try $0.drain() },
            { connection in
                try connection.accept()
                try connection.drain()
            },
        ])
        defer { peer.stop() }
        var configuration = configuration(peer)
        configuration.connectTimeoutSeconds = 0.2
        let producer = MQTTProducer(configuration: configuration)
        var reasons: [MQTTError.Code] = []
        for await state in producer.events {
            if case .disconnected(let error) = state { reasons.append(error.code) }
            if case .connected = state { break }
        }
        // The second one answers at once, but perhaps not in time.
        #expect(Set(reasons) == [.connectTimeout])
        await producer.stop()
    }

    @Test("Wrong credentials are thrown, not retried")
    func badCredentials() async throws {
        let peer = try ScriptedPeer([refusal(4)])
        defer { peer.stop() }
        let producer = MQTTProducer(configuration: configuration(peer))
        let published = await #expect(throws: MQTTError.self) { try await producer.publish(MQTTPublication("t", "x")) }
        #expect(published?.code == .badCredentials)
        let consumer = consumer(of: peer)
        let received = await #expect(throws: MQTTError.self) { try await consumer.payloads(count: 1) }
        #expect(received?.code == .badCredentials)
        #expect(received?.reasonCode == 4)
        #expect(peer.connections == 2)
    }

    @Test("A busy broker is tried again until it accepts")
    func serverUnavailable() async throws {
        let peer = try ScriptedPeer([
            refusal(3), refusal(3),
            Self.granting,
        ])
        defer { peer.stop() }
        let consumer = consumer(of: peer)
        #expect(try await consumer.payloads(count: 1) == ["x"])
        await consumer.end()
        #expect(peer.connections == 3)
    }

    @Test("No PUBACK leaves before the acknowledgement, yet the keep-alive goes on")
    func pingPassesHeldPUBACK() async throws {
        let (seen, report) = AsyncStream.makeStream(of: UInt8.self)
        let peer = try ScriptedPeer([
            { connection in
                defer { report.finish() }
                try connection.accept()
                try connection.grant()
                try connection.publish(topic: [0x74], id: 7, payload: [])
                while true {
                    let packet = try connection.read()
                    report.yield(packet.type)
                    if packet.type == 0xC0 { try connection.write([0xD0, 0]) }
                }
            }
        ])
        defer { peer.stop() }
        let consumer = consumer(of: peer)
        var iterator = consumer.batches.makeAsyncIterator()
        var packets = seen.makeAsyncIterator()
        while let batch = try await iterator.next() {
            guard let message = batch.first else {
                batch.acknowledge()
                continue
            }
            #expect(message.payload.isEmpty)
            let beforeAcknowledgement = await packets.next()
            #expect(beforeAcknowledgement == 0xC0)
            #expect(batch.acknowledge())
            let afterAcknowledgement = await packets.next()
            #expect(afterAcknowledgement == 0x40)
            break
        }
        await consumer.end()
    }

    @Test("Another program with our client id is an error, where the broker says so")
    func takenOver() async throws {
        let peer = try ScriptedPeer([
            { connection in
                try connection.expect(0x10)
                try connection.write([0x20, 3, 0, 0, 0])
                let body = try connection.expect(0x82)
                try connection.write([0x90, 4, body[0], body[1], 0, 1])
                // DISCONNECT, session taken over (MQTT 5 section 3.14.2.1).
                try connection.write([0xE0, 1, 0x8E])
                try connection.drain()
            }
        ])
        defer { peer.stop() }
        let consumer = consumer(of: peer) { $0.version = .v5 }
        let error = await #expect(throws: MQTTError.self) { _ = try await consumer.payloads(count: 1) }
        #expect(error?.code == .sessionTakenOver)
        #expect(error?.isRetriable == false)
    }

    @Test("A first subscription that is refused without a reason is an error after some tries, which says so")
    func refusedSubscription() async throws {
        let peer = try ScriptedPeer([Self.refusing])
        defer { peer.stop() }
        let began = ContinuousClock.now
        let consumer = consumer(of: peer, to: "a/+") { $0.refusedSubscriptionSeconds = 0.2 }
        let events = consumer.events
        let error = await #expect(throws: MQTTError.self) { _ = try await consumer.payloads(count: 1) }
        #expect(error?.code == .notAuthorized)
        #expect(error?.reasonCode == 0x80)
        #expect(error?.message.contains("'a/+'") == true)
        #expect(ContinuousClock.now - began >= .milliseconds(200))
        #expect(peer.connections >= 3)
        // Told once before the end, and never as connected.
        var states: [MQTTError.Code] = []
        for await state in events {
            switch state {
            case .disconnected(let error), .failed(let error): states.append(error.code)
            case .connected: states.append(.stopped)
            case .connecting, .stopped: continue
            }
        }
        #expect(states == [.subscriptionRefused, .notAuthorized])
    }

    @Test("A subscription that was granted before is tried until it is granted again")
    func subscriptionRefusedForAWhile() async throws {
        let granted: ScriptedPeer.Script = { connection in
            try connection.accept()
            try connection.grant()
            try connection.publish(topic: [0x74], id: 1, payload: [0x78])
            // Its PUBACK; then the connection breaks.
            try connection.expect(0x40)
        }
        let peer = try ScriptedPeer([granted] + Array(repeating: Self.refusing, count: 12) + [granted])
        defer { peer.stop() }
        let consumer = consumer(of: peer) { $0.refusedSubscriptionSeconds = 0 }
        let events = consumer.events
        #expect(try await consumer.payloads(count: 2) == ["x", "x"])
        #expect(peer.connections >= 14)
        await consumer.end()
        var refusals = 0
        for await case .disconnected(let error) in events where error.code == .subscriptionRefused { refusals += 1 }
        #expect(refusals == 1)
    }

    @Test("A broker that closes the connection at a subscription is tried again, and what is told names the filter")
    func closedAtSubscription() async throws {
        let closing: ScriptedPeer.Script = { connection in
            try connection.accept()
            try connection.expect(0x82)
        }
        let peer = try ScriptedPeer([closing, closing, closing, closing, Self.granting])
        defer { peer.stop() }
        let consumer = consumer(of: peer, to: "a/+")
        let events = consumer.events
        #expect(try await consumer.payloads(count: 1) == ["x"])
        await consumer.end()
        var told: [String] = []
        for await case .disconnected(let error) in events { told.append(error.message) }
        #expect(told.count == 1)
        #expect(told.first?.contains("at the subscription to 'a/+'") == true)
    }

    @Test("A topic that is not UTF-8 is an error after some tries, and what came before it is acknowledged")
    func poison() async throws {
        let isFirstAcknowledged = Watched(false)
        let peer = try ScriptedPeer([
            { connection in
                try connection.accept()
                try connection.grant()
                if !isFirstAcknowledged.now { try connection.publish(topic: [0x74], id: 1, payload: [0x31]) }
                try connection.publish(topic: [0xFF], id: 2, payload: [0x32])
                while true {
                    let packet = try connection.read()
                    if packet.type == 0x40, packet.body == [0, 1] { isFirstAcknowledged.change { $0 = true } }
                }
            }
        ])
        defer { peer.stop() }
        let consumer = consumer(of: peer, to: "#") { $0.maximumReconnectsWithoutProgress = 4 }
        let error = await #expect(throws: MQTTError.self) { _ = try await consumer.payloads(count: .max) }
        #expect(error?.code == .noProgress)
        #expect(isFirstAcknowledged.now)
    }

    @Test("A consumer that may give its session up goes on with a new one", arguments: [MQTTVersion.v311, .v5])
    func sessionGivenUp(version: MQTTVersion) async throws {
        let isForgotten = Watched(false)
        let peer = try ScriptedPeer([
            { connection in
                // The flags follow the name and the version; bit 1 is Clean Session or Clean Start.
                let isClean = try connection.expect(0x10)[7] & 2 != 0
                if isClean { isForgotten.change { $0 = true } }
                try connection.write(version == .v5 ? [0x20, 3, 0, 0, 0] : [0x20, 2, 0, 0])
                if isClean, version == .v311 { return try connection.drain() }
                let body = try connection.expect(0x82)
                try connection.write(
                    version == .v5 ? [0x90, 4, body[0], body[1], 0, 1] : [0x90, 3, body[0], body[1], 1])
                let properties: [UInt8] = version == .v5 ? [0] : []
                let topic: UInt8 = isForgotten.now ? 0x74 : 0xFF
                try connection.write([0x32, UInt8(6 + properties.count), 0, 1, topic, 0, 1] + properties + [0x31])
                try connection.drain()
            }
        ])
        defer { peer.stop() }
        let consumer = consumer(of: peer, to: "#") {
            $0.version = version
            ($0.sessionExpirySeconds, $0.givesUpSession) = (60, true)
            $0.maximumReconnectsWithoutProgress = 3
        }
        #expect(try await consumer.payloads(count: 1) == ["1"])
        #expect(isForgotten.now)
        await consumer.end()
    }

    private func refusal(_ reason: UInt8) -> ScriptedPeer.Script {
        { connection in
            try connection.expect(0x10)
            try connection.write([0x20, 2, 0, reason])
            try connection.drain()
        }
    }

    /// Accepts a connection and refuses its subscription.
    private static let refusing: ScriptedPeer.Script = { connection in
        try connection.accept()
        let body = try connection.expect(0x82)
        try connection.write([0x90, 3, body[0], body[1], 0x80])
        try connection.drain()
    }

    /// Accepts a connection, grants its subscription and sends a message.
    private static let granting: ScriptedPeer.Script = { connection in
        try connection.accept()
        try connection.grant()
        try connection.publish(topic: [0x74], id: 1, payload: [0x78])
        try connection.drain()
    }

    private func consumer(
        of peer: ScriptedPeer, to filter: String = "t", _ change: (inout MQTTConnectionConfiguration) -> Void = { _ in }
    ) -> MQTTConsumer {
        var configuration = configuration(peer)
        change(&configuration)
        return MQTTConsumer(configuration: configuration, subscriptions: [MQTTSubscription(filter)])
    }

    private func configuration(_ peer: ScriptedPeer) -> MQTTConnectionConfiguration {
        var configuration = MQTTConnectionConfiguration(
            endpoint: MQTTEndpoint(host: "127.0.0.1", port: peer.port), clientID: "test", version: .v311,
            sessionExpirySeconds: 60)
        configuration.backoff = backoff
        return configuration
    }
}
