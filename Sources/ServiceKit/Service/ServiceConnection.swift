package import Logging
package import MQTT
import ServiceLifecycle
import Synchronization
package import Wire

/// The two connections of a service: one that reads and acknowledges, and one that publishes.
///
/// They are two because the first writes nothing but acknowledgements, which so can wait for the commit. The second
/// says `online` on `service/{name}/status` (retained) once the first has subscribed, again at each later connection,
/// and `offline` at the end; its last will says `offline` where there is no orderly end.
package final class ServiceConnection: Sendable {
    /// The time for which the broker keeps the messages of a service that is away, in seconds: a week. A broker
    /// measures it by its wall clock, so it is long.
    package static let sessionExpirySeconds: UInt32 = 604_800

    /// The connections in a row that one message may end, before the session that it is in is given up.
    static let maximumReconnectsWithoutProgress = 6

    /// How long a first subscription that the broker refuses without a reason is tried again, in seconds: longer than a
    /// cluster's failover, which a service that is started meanwhile waits for.
    package static let refusedSubscriptionSeconds = 60.0

    /// Reads over a persistent session.
    package let consumer: MQTTConsumer
    /// Publishes.
    package let producer: MQTTProducer
    private let bus: BusSettings
    private let service: ServiceName
    private let logger: Logger
    private let hasAnnounced = Atomic(false)
    /// Whether `announceReading` was called.
    package var isReading: Bool { hasAnnounced.load(ordering: .relaxed) }
    /// The share of the work among several instances of the service, such as `0-31`; `nil` for the only one. It is in the
    /// client ids: two processes with the same ones take the connection from each other, and the older one ends.
    private let share: DeviceID?
    /// What the retained status of this instance is named by; `nil` where it has none of its own.
    private let instance: DeviceID?

    /// Connects, on threads of their own.
    package init(
        bus: BusSettings, service: ServiceName, share: DeviceID? = nil, instance: DeviceID? = nil,
        subscriptions: [MQTTSubscription], limits: MQTTBatchLimits = MQTTBatchLimits(),
        maximumPacketBytes: UInt32? = nil, logger: Logger
    ) {
        self.bus = bus
        self.service = service
        self.logger = logger
        (self.share, self.instance) = (share, instance)
        let name = bus.clientID(of: service.rawValue, share: share)
        var outgoing = MQTTConnectionConfiguration(
            endpoint: bus.endpoint, clientID: name + "-out", version: bus.version)
        // Of several instances another one may still be there.
        if share == nil { outgoing.will = Self.status("offline", of: service, nil, bus.topics) }
        producer = MQTTProducer(configuration: outgoing)
        var incoming = Self.incoming(name, bus, maximumPacketBytes)
        if instance != nil { incoming.will = Self.status("offline", of: service, instance, bus.topics) }
        consumer = MQTTConsumer(configuration: incoming, subscriptions: subscriptions, limits: limits)
    }

    /// Lets the broker forget what it keeps for a share of a service's work that is gone for good: else it would keep
    /// messages for it for as long as ``sessionExpirySeconds``.
    package static func forgetSession(of service: ServiceName, share: DeviceID?, on bus: BusSettings) async {
        let producer = MQTTProducer(
            configuration: MQTTConnectionConfiguration(
                endpoint: bus.endpoint, clientID: bus.clientID(of: service.rawValue, share: share) + "-in",
                version: bus.version))
        for await state in producer.events {
            if case .connecting = state { continue }
            break
        }
        await producer.stop()
    }

    private static func incoming(
        _ name: String, _ bus: BusSettings, _ maximumPacketBytes: UInt32?
    ) -> MQTTConnectionConfiguration {
        var incoming = MQTTConnectionConfiguration(
            endpoint: bus.endpoint, clientID: name + "-in", version: bus.version,
            sessionExpirySeconds: sessionExpirySeconds)
        incoming.maximumPacketBytes = maximumPacketBytes
        // Another instance has both connections. The other one says nothing: a cluster that fails over takes messages on it, and
        // closes it, several times a second.
        incoming.isExclusive = true
        // A topic that a broker forwards and no library may read ends every connection: some seconds, then without it.
        incoming.maximumReconnectsWithoutProgress = maximumReconnectsWithoutProgress
        incoming.givesUpSession = true
        incoming.refusedSubscriptionSeconds = refusedSubscriptionSeconds
        return incoming
    }

    /// Says `online`: nothing that is published for the service can be missed any more. Call it at the first batch of
    /// each connection of ``consumer`` (`batch.connection` is not nil).
    package func announceReading() {
        hasAnnounced.store(true, ordering: .relaxed)
        ServiceProgress.noteReading(service)
        producer.offer(Self.status("online", of: service, nil, bus.topics))
        // Of several instances one that reads is enough for the service; each has a status of its own beside that.
        if instance != nil { producer.offer(Self.status("online", of: service, instance, bus.topics)) }
    }

    /// Publishes a report of health without waiting; the next one replaces it.
    ///
    /// - Parameter isSignOfLife: Whether the service's own loop has gone on: it is that which makes the report.
    /// - Returns: Whether the connection took it.
    @discardableResult
    package func offer(_ health: ServiceHealth, isSignOfLife: Bool = true) -> Bool {
        if isSignOfLife { ServiceProgress.note(service) }
        return producer.offer(
            MQTTPublication(
                topic: bus.topics.bytes(share.map { .instanceHealth(service, $0) } ?? .serviceHealth(service)),
                payload: health.encodedJSON(), qos: .atMostOnce,
                retain: true))
    }

    /// Follows both connections until they have ended or the task is cancelled: logs each change, says `online` again
    /// after each break of ``producer``, and stops ``consumer`` when ``producer`` has ended for good.
    ///
    /// - Parameters:
    ///   - stopSeconds: How long a graceful shutdown waits for a broker that is away, in seconds: then ``producer`` is
    ///     stopped, and the caller that waits for its answer gets that error.
    ///   - connected: Called at each connection of ``producer``; `true` at the first one.
    package func watch(stopSeconds: Double, connected: @Sendable (_ isFirst: Bool) async -> Void = { _ in }) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await state in self.consumer.events { self.log(state, of: "reading from") } }
            group.addTask { await self.giveUpAfterShutdown(seconds: stopSeconds) }
            var isFirst = true
            for await state in producer.events {
                log(state, of: "publishing to")
                guard case .connected = state else { continue }
                if isReading { announceReading() }
                await connected(isFirst)
                isFirst = false
            }
            if !Task.isCancelled { consumer.stop() }
            group.cancelAll()
        }
    }

    /// Logs each refusal of the subscriptions of a further connection until that has ended. For the rest, its connection
    /// breaks when that of ``consumer`` does.
    package func logRefusals(in states: AsyncStream<MQTTConnectionState>) async {
        for await case .disconnected(let error) in states where error.code == .subscriptionRefused {
            log(.disconnected(error), of: "reading from")
        }
    }

    /// Why one of the connections has ended for good; `nil` as long as neither has.
    package var failure: ServiceConnectionError? {
        for state in [consumer.connectionState, producer.connectionState] {
            if case .failed(let error) = state { return failure(for: error) }
        }
        return nil
    }

    package func failure(for error: MQTTError) -> ServiceConnectionError {
        error.code == .sessionTakenOver
            ? .takenOver(service, root: bus.topics.root) : .broker(service, reason: error.message)
    }

    /// Publishes `offline` where the broker is there, and ends both connections. May be called twice.
    package func close() async {
        consumer.stop()
        // Of two instances the one that has taken over is online.
        if failure?.isTakenOver != true {
            if instance != nil { producer.offer(Self.status("offline", of: service, instance, bus.topics)) }
            if share == nil { producer.offer(Self.status("offline", of: service, nil, bus.topics)) }
        }
        let unanswered = await producer.stop()
        if unanswered > 0 { logger.warning("the broker did not take the last \(unanswered) messages") }
        await consumer.waitUntilStopped()
    }

    /// A broker that is there gets `offline` however late it comes, because it publishes no will after an
    /// orderly end, and `online` would stay retained.
    private func giveUpAfterShutdown(seconds: Double) async {
        do {
            try await gracefulShutdown()
            try await Task.sleep(for: .seconds(seconds))
        } catch {
            return
        }
        for await state in producer.events {
            if case .connected = state { continue }
            await producer.stop()
            return
        }
    }

    private func log(_ state: MQTTConnectionState, of purpose: String) {
        switch state {
        case .connecting: logger.debug("connecting for \(purpose) the broker")
        case .connected: logger.info("\(purpose) the broker", metadata: ["broker": "\(bus.endpoint)"])
        case .disconnected(let error): logger.warning("not \(purpose) the broker, trying again: \(error.message)")
        case .failed(let error): logger.error("not \(purpose) the broker, giving up: \(error.message)")
        case .stopped: logger.debug("stopped \(purpose) the broker")
        }
    }

    private static func status(
        _ word: String, of service: ServiceName, _ instance: DeviceID?, _ topics: TopicTree
    ) -> MQTTPublication {
        MQTTPublication(
            topic: topics.bytes(instance.map { .instanceStatus(service, $0) } ?? .serviceStatus(service)),
            payload: Array(word.utf8), retain: true)
    }
}

/// Why a service cannot go on with the broker; `description` is one line that says what to do.
package enum ServiceConnectionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Another process with the same client id took the session over: a second instance of the service.
    case takenOver(ServiceName, root: String)
    /// The broker refuses the service in a way that patience does not mend.
    case broker(ServiceName, reason: String)

    package var isTakenOver: Bool { if case .takenOver = self { true } else { false } }

    package var description: String {
        switch self {
        case .takenOver(let service, let root):
            "\(service.rawValue): another \(service.rawValue) for the root '\(root)' has connected and takes this one's"
                + " messages: run one of the two, or give each its own --root"
                + (service == .counter ? " or --partitions" : "")
        case .broker(let service, let reason): "\(service.rawValue) cannot use the broker: \(reason)"
        }
    }
}
