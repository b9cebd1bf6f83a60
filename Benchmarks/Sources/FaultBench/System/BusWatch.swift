import MQTT
import Synchronization
import Wire

/// Listens beside the services: who is there, what they have counted, whether a total ever goes back, and how long
/// each was not heard after a fault.
final class BusWatch: Sendable {
    /// What is listened to.
    enum Scope: Sendable {
        /// Everything that a verdict needs.
        case everything
        /// The services' own words only, because the devices are too many.
        case services

        func filters(_ topics: TopicTree) -> [String] {
            let services = ["\(topics.root)/service/+/status", "\(topics.root)/service/+/health"]
            if self == .services { return services }
            return services + ["\(topics.root)/service/motion/+", "\(topics.root)/service/counts/+"]
                + [topics.text(.runningClass)]
                + [DeviceChannel.cadence, .steps, .total, .health].map { topics.filter(every: $0) }
        }
    }

    private struct State {
        var online: Set<ServiceName> = []
        var health: [ServiceName: ServiceHealth] = [:]
        var totals = TotalsWatch()
        var arrivals = ArrivalWitness()
        var lateDevices: Set<DeviceID> = []
        var summary: ClassReport?
        var awaited: [ServiceName: ContinuousClock.Instant] = [:]
        var worstRecovery = 0.0
    }

    private let state = Mutex(State())
    private let consumer: MQTTConsumer
    private let reading: Task<Void, Never>
    private let notesArrivals: Bool

    /// What a service that has just been killed had sent may still come for so long, in milliseconds.
    private static let echoMilliseconds = 50

    init(
        endpoint: MQTTEndpoint, topics: TopicTree, scope: Scope = .everything, notesArrivals: Bool = false
    ) {
        self.notesArrivals = notesArrivals
        let consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: "faultbench-watch"),
            subscriptions: scope.filters(topics).map { MQTTSubscription($0) })
        self.consumer = consumer
        let news = AsyncStream<(Topic, [UInt8], isRetained: Bool)>.makeStream()
        reading = Task {
            do {
                for try await batch in consumer.batches {
                    for message in batch {
                        guard let topic = try? topics.parse(message.topic) else { continue }
                        let isRead = Self.isRead(topic, notesArrivals: notesArrivals)
                        news.continuation.yield((topic, isRead ? Array(message.payload) : [], message.isRetained))
                    }
                    batch.acknowledge()
                }
            } catch { news.continuation.finish() }
            news.continuation.finish()
        }
        Task { [weak self] in
            for await (topic, payload, isRetained) in news.stream {
                self?.take(topic, payload, isRetained: isRetained)
            }
        }
    }

    /// The services that said they are there.
    var online: Set<ServiceName> { state.withLock { $0.online } }
    /// How often a device's total went back, live or in history.
    var regressions: Int { state.withLock { $0.totals.regressions } }
    /// The last health of a service.
    func health(of service: ServiceName) -> ServiceHealth? { state.withLock { $0.health[service] } }

    /// A number of a service's health as soon as it is as wished, and else, when patience ends, what it was at the last.
    func value(
        _ name: String, of service: ServiceName, patienceSeconds: Double, isWished: (Int) -> Bool
    ) async throws -> Int {
        let deadline = ContinuousClock.now + .seconds(patienceSeconds)
        var value = 0
        while ContinuousClock.now < deadline {
            value = Int(health(of: service)?[name] ?? 0)
            if isWished(value) { break }
            try await FaultStrike.wait(0.1)
        }
        return value
    }

    /// The devices of which frames came after later ones had been counted.
    var lateDevices: Set<DeviceID> { state.withLock { $0.lateDevices } }

    /// What was last said of a class that was over.
    var summary: ClassReport? { state.withLock { $0.summary } }

    /// When ingest received the frames.
    var arrivals: ArrivalWitness { state.withLock { $0.arrivals } }

    /// From now on it is waited until each of these services is heard again.
    func expectRecovery(of services: some Sequence<ServiceName>) {
        let now = ContinuousClock.now
        state.withLock { for name in services where $0.awaited[name] == nil { $0.awaited[name] = now } }
    }

    /// Whether a service has not been heard since it was expected.
    var awaitsRecovery: Bool { state.withLock { !$0.awaited.isEmpty } }
    /// The longest time that a service was not heard after a fault, in seconds.
    var worstRecoverySeconds: Double { state.withLock { $0.worstRecovery } }

    func close() async {
        consumer.stop()
        await consumer.waitUntilStopped()
        await reading.value
    }

    /// Whether the payload matters, and not only that it came.
    private static func isRead(_ topic: Topic, notesArrivals: Bool) -> Bool {
        switch topic {
        case .motion: notesArrivals
        case .counts: false
        default: true
        }
    }

    private func take(_ topic: Topic, _ payload: [UInt8], isRetained: Bool) {
        payload.withUnsafeBytes { bytes in
            switch topic {
            case .motion:
                heard(.ingest)
                if notesArrivals { state.withLock { $0.arrivals.take(bytes) } }
            case .counts: heard(.counter)
            case .serviceStatus(let name):
                let isOnline = bytes.elementsEqual("online".utf8)
                state.withLock { if isOnline { $0.online.insert(name) } else { $0.online.remove(name) } }
            case .serviceHealth(let name):
                guard let health = try? ServiceHealth(json: bytes) else { return }
                state.withLock { $0.health[name] = health }
            case .runningClass:
                // It comes every second, and totals once a minute.
                if !isRetained { heard(.history) }
                guard let report = try? ClassReport(json: bytes), report.ended != nil else { return }
                state.withLock { $0.summary = report }
            case .device(let device, .health):
                guard let health = try? DeviceHealth(json: bytes), health.late > 0 else { return }
                state.withLock { _ = $0.lateDevices.insert(device) }
            case .device(let device, let channel) where !isRetained:
                // What a broker has kept from before a crash may be old, which is no fault of history.
                if channel == .total { heard(.history) }
                state.withLock { $0.totals.take(device, channel, bytes) }
            default: return
            }
        }
    }

    private func heard(_ service: ServiceName) {
        let now = ContinuousClock.now
        state.withLock { state in
            guard let since = state.awaited[service], since.duration(to: now) > .milliseconds(Self.echoMilliseconds)
            else { return }
            state.awaited[service] = nil
            state.worstRecovery = max(state.worstRecovery, since.duration(to: now) / .seconds(1))
        }
    }
}
