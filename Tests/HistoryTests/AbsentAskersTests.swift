import ServiceKit
import MQTT
import Testing
import Wire

@testable import History

@Suite("Askers who are gone", .timeLimit(.minutes(5)))
struct AbsentAskersTests {
    let bike: DeviceID
    let clock = TestClock(seconds: 1_795_195_800)
    /// Later than any lease of a test begins, however often its clock is put forward until then.
    let minute: Int64 = 1_795_195_800 / 60 + 60

    init() throws {
        bike = try DeviceID("bike-07")
    }

    @Test("Nobody is given up within a minute, however often the clock jumps or is asked")
    func patience() {
        let askers = AbsentAskers()
        let lease = lease(1)
        var now = 1_000.0
        #expect(askers.isDue(lease, nowSeconds: now) && !askers.isAbsent(lease))
        for _ in 1..<AbsentAskers.maximumTries {
            #expect(!askers.noteUnheard(lease, nowSeconds: now))
            #expect(askers.isAbsent(lease) && askers.count == 1)
            #expect(!askers.isDue(lease, nowSeconds: now + 4.9) && !askers.isRetryDue(nowSeconds: now + 4.9))
            now += AbsentAskers.retrySeconds
            #expect(askers.isDue(lease, nowSeconds: now) && askers.isRetryDue(nowSeconds: now))
            #expect(askers.isDue(lease, nowSeconds: now - 1_000_000))
        }
        #expect(now - 1_000 >= 60)
        #expect(askers.noteUnheard(lease, nowSeconds: now))
        #expect(askers.count == 0)
    }

    @Test("Whoever hears once, or renews, is waited for anew")
    func comesBack() {
        let askers = AbsentAskers()
        var lease = lease(1)
        for round in 0..<3 {
            for _ in 1..<AbsentAskers.maximumTries { #expect(!askers.noteUnheard(lease, nowSeconds: 0)) }
            if round == 1 { askers.noteHeard(lease) } else { lease.expiresSeconds += 30 }
        }
        for _ in 1..<AbsentAskers.maximumTries { #expect(!askers.noteUnheard(lease, nowSeconds: 0)) }
        #expect(askers.noteUnheard(lease, nowSeconds: 0))
    }

    @Test("What is known of leases that have ended is forgotten, of the others it is not")
    func ended() {
        let askers = AbsentAskers()
        for id in 1...3 as ClosedRange<Int64> { _ = askers.noteUnheard(lease(id), nowSeconds: 0) }
        askers.keep([lease(2)])
        #expect(askers.count == 1 && askers.isAbsent(lease(2)))
    }

    @Test("A lease ends when its asker is gone for a minute, and another asker's goes on")
    func gone() async throws {
        try await withScope { scope in
            let listener = try await scope.listener("stride/reply/other", "stride/service/history/+")
            try await scope.withHistory(now: clock.nowSeconds) {
                let asker = try await scope.listener("stride/reply/me")
                for topic in ["me", "other"] { try await begin(scope, topic, listener) }
                try await scope.count(bike, minute: minute, revolutions: 10, after: 0, through: 1)
                _ = try await asker.wait(for: "stride/reply/me") { $0.number == 1 }
                await asker.stop()
                var number: UInt64 = 1
                while try await health(listener)["leases_abandoned"] == 0 {
                    // The ride goes on, so that there is always something to say.
                    number += 1
                    try await scope.count(
                        bike, minute: minute, revolutions: UInt32(number) * 10, after: number - 1, through: number)
                }
                #expect(try await health(listener)["notices_unheard"] ?? 0 >= UInt64(AbsentAskers.maximumTries))
                _ = try await listener.wait(for: "stride/reply/other") { $0.number == number }
            }
            #expect(try await scope.folder.store().stopLease(of: bike, topic: Array("stride/reply/me".utf8)) == false)
            #expect(try await scope.folder.store().stopLease(of: bike, topic: Array("stride/reply/other".utf8)))
            await listener.stop()
        }
    }

    @Test("An asker who is back within half a minute has missed no notice")
    func tunnel() async throws {
        try await withScope { scope in
            let listener = try await scope.listener("stride/service/history/+")
            try await scope.withHistory(now: clock.nowSeconds) {
                try await begin(scope, "me", listener)
                try await scope.count(bike, minute: minute, revolutions: 45, after: 0, through: 1)
                try await passTime(listener) { ($0["notices_unheard"] ?? 0) >= 6 }
                let asker = try await scope.listener("stride/reply/me")
                clock.set(clock.nowSeconds() + AbsentAskers.retrySeconds)
                _ = try await asker.wait(for: "stride/reply/me") { $0.number == 4 }
                #expect(asker.heard.compactMap(\.number) == [1, 2, 3, 4])
                await asker.stop()
            }
            await listener.stop()
        }
    }

    @Test("An asker with a persistent session is never gone: the broker keeps its notices")
    func persistent() async throws {
        try await withScope { scope in
            let listener = try await scope.listener("stride/service/history/+")
            var asker = try await PersistentAsker(scope)
            await asker.leave()
            try await scope.withHistory(now: clock.nowSeconds) {
                try await begin(scope, "me", listener)
                try await scope.count(bike, minute: minute, revolutions: 45, after: 0, through: 1)
                try await passTime(listener) { $0["notices"] == 4 }
                #expect(try await health(listener)["notices_unheard"] == 0)
                asker = try await PersistentAsker(scope)
                #expect(try await asker.numbers(4) == [1, 2, 3, 4])
                await asker.leave()
            }
            await listener.stop()
        }
    }

    /// Starts a lease whose answer nobody needs to hear.
    private func begin(_ scope: HistoryScope, _ topic: String, _ listener: BusListener) async throws {
        _ = try await listener.wait(for: "stride/service/history/status") { $0.text == "online" }
        let before = try await health(listener)["requests_ok"] ?? 0
        try await scope.ask(
            .liveStart,
            #"{"device":"bike-07","every":10,"counts":"revolutions","lease_s":86400,"reply_to":"stride/reply/\#(topic)"}"#
        )
        try await passTime(listener) { ($0["requests_ok"] ?? 0) > before }
    }

    /// Lets time pass until a health says what is waited for: with each, a notice is tried once more at most.
    private func passTime(_ listener: BusListener, until isDone: (ServiceHealth) -> Bool) async throws {
        while try await !isDone(health(listener)) {}
    }

    /// The health when the next one is due.
    private func health(_ listener: BusListener) async throws -> ServiceHealth {
        let now = clock.nowSeconds() + HistoryHeartbeat<SQLiteHistoryStore>.healthSeconds
        clock.set(now)
        let heard = try await listener.wait(for: "stride/service/history/health") { heard in
            (try? ServiceHealth(json: heard.payload)).map { $0.t >= now } ?? false
        }
        return try ServiceHealth(json: heard.payload)
    }

    private func lease(_ id: Int64) -> LiveLease {
        let offer = LeaseOffer(device: bike, topic: [], counts: .steps, every: 1, startMinute: 0)
        var lease = LiveLease(offer, counted: 0, nowSeconds: 0)
        lease.id = id
        return lease
    }
}

/// Somebody whose session outlives the connection.
private final class PersistentAsker {
    private let consumer: MQTTConsumer
    private var batches: MQTTBatches.AsyncIterator
    private var heard: [UInt64] = []

    init(_ scope: HistoryScope) async throws {
        consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(
                endpoint: try MQTTEndpoint(scope.broker.url), clientID: "asker", sessionExpirySeconds: 3600),
            subscriptions: [MQTTSubscription("stride/reply/me")])
        batches = consumer.batches.makeAsyncIterator()
        try await listen()
    }

    /// The numbers of the first notices.
    func numbers(_ count: Int) async throws -> [UInt64] {
        while heard.count < count { try await listen() }
        return heard
    }

    /// The first batch of a connection may have notices in it already.
    private func listen() async throws {
        guard let batch = try await batches.next() else { throw CancellationError() }
        heard += batch.compactMap { message in
            guard case .ok(_, let data)? = try? HistoryReply(json: message.payload) else { return nil }
            return try? LiveNotice(json: data).number
        }
        batch.acknowledge()
    }

    func leave() async {
        consumer.stop()
        await consumer.waitUntilStopped()
    }
}
