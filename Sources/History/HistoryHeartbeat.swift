import ServiceKit
import Logging
import MQTT
import Wire

/// What history does by the clock: asks for missing rows, publishes totals that are due, reports its health, and says
/// that it is there.
struct HistoryHeartbeat<Store: HistoryStore>: Sendable {
    let configuration: HistoryConfiguration
    let claim: StoreClaim
    let producer: MQTTProducer
    let pipeline: SharedPipeline
    let publisher: RetainedPublisher<Store>
    let notices: NoticePublisher<Store>
    let forgetting: ForgettingPublisher<Store>
    let telemetry: HistoryTelemetry
    let presence: Presence
    let now: @Sendable () -> Double
    let logger: Logger

    /// The time between two looks at what is due, in milliseconds.
    static var intervalMilliseconds: Int { 200 }
    /// The time between two reports of health, in seconds.
    static var healthSeconds: Double { 10 }
    /// The time between two looks at leases that may have expired, in seconds.
    static var leaseSeconds: Double { 2 }

    /// Beats until it is cancelled.
    func run() async {
        var nextHealthSeconds = 0.0
        var nextLeaseSeconds = 0.0
        while !Task.isCancelled {
            let nowSeconds = now()
            await announce()
            await askForMissing(nowSeconds: nowSeconds)
            await notices.publishDue(nowSeconds: nowSeconds)
            await forgetting.publishDue()
            await publisher.publishDue(nowSeconds: nowSeconds)
            if nowSeconds >= nextLeaseSeconds {
                await notices.endLeases(nowSeconds: nowSeconds)
                nextLeaseSeconds = nowSeconds + Self.leaseSeconds
            }
            if nowSeconds >= nextHealthSeconds, reportHealth(nowSeconds: nowSeconds) {
                nextHealthSeconds = nowSeconds + Self.healthSeconds
            }
            try? await Task.sleep(for: .milliseconds(Self.intervalMilliseconds))
        }
    }

    /// Follows the producer's connection. After each new one `online` is said again, because the broker has published
    /// our last will since the one before, and everything retained is published again, because the broker may have come
    /// back with older values or with none.
    func watchConnection() async {
        var isFirst = true
        for await state in producer.events {
            switch state {
            case .connected:
                presence.announceAgain()
                if !isFirst { await retainEverything() }
                isFirst = false
                logger.info("history is connected", metadata: ["broker": "\(configuration.bus.endpoint)"])
            case .disconnected(let error): logger.warning("\(error.message)")
            case .failed(let error): logger.error("\(error.message)")
            case .connecting, .stopped: break
            }
        }
    }

    /// Publishes what is due, as far as the broker takes it in time, and says `offline`, if the broker is there to hear
    /// it. The time counts from here, because the reading may take long to end.
    func sayGoodbye(nowSeconds: Double) async {
        guard case .connected = producer.connectionState else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await publishLast(nowSeconds: nowSeconds) }
            // Cancelled when all is published.
            group.addTask { try? await Task.sleep(for: .seconds(configuration.shutdownSeconds)) }
            await group.next()
            group.cancelAll()
        }
        reportHealth(nowSeconds: nowSeconds)
        producer.offer(configuration.status(isOnline: false))
    }

    private func publishLast(nowSeconds: Double) async {
        await notices.publishDue(nowSeconds: nowSeconds)
        await forgetting.publishDue()
        // Beyond the usual pause of a device, since there is no later.
        await publisher.publishDue(nowSeconds: nowSeconds + RetainedBoard.minimumSeconds)
    }

    private func retainEverything() async {
        do {
            try await publisher.markEverything()
        } catch {
            telemetry.count(.publishFailures)
            logger.warning("retained totals may be old until they change", metadata: ["error": "\(error)"])
        }
    }

    private func announce() async {
        guard presence.takeAnnouncement() else { return }
        do { try await producer.publish(configuration.status(isOnline: true)) } catch { presence.announceAgain() }
    }

    private func askForMissing(nowSeconds: Double) async {
        guard let request = pipeline.withLock({ $0.takeResend(nowSeconds: nowSeconds) }) else { return }
        do {
            try await producer.publish([
                MQTTPublication(topic: configuration.bus.topics.bytes(.resend), payload: request.encoded())
            ])
        } catch {
            telemetry.count(.publishFailures)
            pipeline.withLock { $0.askAgain() }
        }
    }

    @discardableResult
    private func reportHealth(nowSeconds: Double) -> Bool {
        producer.offer(
            MQTTPublication(
                topic: configuration.bus.topics.bytes(.serviceHealth(.history)),
                payload: health(nowSeconds).encodedJSON(), qos: .atMostOnce, retain: true))
    }

    private func health(_ nowSeconds: Double) -> ServiceHealth {
        let tally = pipeline.withLock { $0.tally }
        var health = telemetry.health(tally, nowSeconds: nowSeconds)
        health.counters += claim.counters.map { ServiceHealth.Counter(name: $0.name, value: $0.value) }
        return health
    }
}
