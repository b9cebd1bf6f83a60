import ServiceKit
import MQTT
import Synchronization
import Wire

/// The two connections of a counter: one that reads and acknowledges, one that publishes.
final class CounterConnections: Sendable {
    /// How long the broker keeps what comes while the counter is away, in seconds: a week.
    static let sessionExpirySeconds: UInt32 = 604_800
    /// How far batches are apart while frames keep coming. A commit costs the same whether it keeps one device or a
    /// hundred, and nobody sees whether cadence comes a fiftieth of a second later.
    static let spacingMilliseconds = 20
    /// The words of `service/counter/status`, which is the counter's birth and last will.
    static let online = Array("online".utf8)
    static let offline = Array("offline".utf8)

    let consumer: MQTTConsumer
    let producer: MQTTProducer
    private let status: [UInt8]
    private let isReading = Atomic(false)

    init(_ configuration: CounterConfiguration) {
        let status = configuration.bus.topics.bytes(.serviceStatus(.counter))
        self.status = status
        let name = Self.name(configuration)
        producer = MQTTProducer(
            configuration: MQTTConnectionConfiguration(
                endpoint: configuration.bus.endpoint, clientID: name + "-out", version: configuration.bus.version,
                will: MQTTPublication(topic: status, payload: Self.offline, retain: true)))
        consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(
                endpoint: configuration.bus.endpoint, clientID: name + "-in", version: configuration.bus.version,
                sessionExpirySeconds: Self.sessionExpirySeconds),
            subscriptions: Self.subscriptions(configuration),
            limits: MQTTBatchLimits(spacingMilliseconds: Self.spacingMilliseconds))
    }

    /// A name that a counter of the same partitions finds its session by after a restart.
    private static func name(_ configuration: CounterConfiguration) -> String {
        var hash = StableHash()
        hash.combine("\(configuration.bus.topics.root) \(configuration.partitions)".utf8)
        return "stridebus-counter-" + String(hash.value, radix: 16)
    }

    private static func subscriptions(_ configuration: CounterConfiguration) -> [MQTTSubscription] {
        let topics = configuration.bus.topics
        let config = MQTTSubscription(topics.filter(every: .config))
        guard !configuration.partitions.isAll else {
            return [
                MQTTSubscription("\(topics.root)/service/motion/+"),
                MQTTSubscription("\(topics.root)/service/forget/+"), MQTTSubscription(topics.text(.resend)), config,
            ]
        }
        return configuration.partitions.partitions.flatMap { partition in
            [MQTTSubscription(topics.text(.motion(partition))), MQTTSubscription(topics.text(.forget(partition)))]
        } + [MQTTSubscription(topics.text(.resend)), config]
    }

    /// Tells that the counter is there, now that nothing published for it can be missed.
    func announceReading() {
        isReading.store(true, ordering: .relaxed)
        sayOnline()
    }

    /// Tells it again at each later connection, because the broker told at the last one's end that it is not.
    func announce() async {
        for await state in producer.events {
            if case .connected = state, isReading.load(ordering: .relaxed) { sayOnline() }
        }
    }

    private func sayOnline() {
        producer.offer(MQTTPublication(topic: status, payload: Self.online, qos: .atLeastOnce, retain: true))
    }

    /// Takes leave in order: the last will is not sent after that, so its word is said here.
    func close() async {
        producer.offer(MQTTPublication(topic: status, payload: Self.offline, qos: .atLeastOnce, retain: true))
        await producer.stop()
    }
}
