import MQTT
import Synchronization
import Wire

/// Listens beside the services: who is there, what the counter has counted, and whether a total ever goes back.
final class BusWatch: Sendable {
    private struct State {
        var online: Set<ServiceName> = []
        var health: [ServiceName: ServiceHealth] = [:]
        var totals: [DeviceID: Workload.Numbers] = [:]
        var regressions = 0
    }

    private let state = Mutex(State())
    private let consumer: MQTTConsumer
    private let reading: Task<Void, Never>

    init(endpoint: MQTTEndpoint, topics: TopicTree) {
        let consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: "faultbench-watch"),
            subscriptions: [
                MQTTSubscription("\(topics.root)/service/+/status"),
                MQTTSubscription("\(topics.root)/service/+/health"),
                MQTTSubscription(topics.filter(every: .total)),
            ])
        self.consumer = consumer
        let news = AsyncStream<(Topic, [UInt8], isRetained: Bool)>.makeStream()
        reading = Task {
            do {
                for try await batch in consumer.batches {
                    for message in batch {
                        guard let topic = try? topics.parse(message.topic) else { continue }
                        news.continuation.yield((topic, Array(message.payload), message.isRetained))
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
    /// How often a device's total went back.
    var regressions: Int { state.withLock { $0.regressions } }
    /// The last health of a service.
    func health(of service: ServiceName) -> ServiceHealth? { state.withLock { $0.health[service] } }

    func close() async {
        consumer.stop()
        await consumer.waitUntilStopped()
        await reading.value
    }

    /// What a broker has kept from before a crash may be old, which is no fault of history.
    private func take(_ topic: Topic, _ payload: [UInt8], isRetained: Bool) {
        payload.withUnsafeBytes { bytes in
            switch topic {
            case .serviceStatus(let name):
                let isOnline = bytes.elementsEqual("online".utf8)
                state.withLock { if isOnline { $0.online.insert(name) } else { $0.online.remove(name) } }
            case .serviceHealth(let name):
                guard let health = try? ServiceHealth(json: bytes) else { return }
                state.withLock { $0.health[name] = health }
            case .device(let device, .total) where !isRetained:
                guard let totals = try? DeviceTotals(json: bytes) else { return }
                note(Workload.Numbers(steps: totals.steps, revolutions: totals.revolutions), of: device)
            default: return
            }
        }
    }

    private func note(_ numbers: Workload.Numbers, of device: DeviceID) {
        state.withLock { state in
            if let old = state.totals[device], numbers.steps < old.steps || numbers.revolutions < old.revolutions {
                state.regressions += 1
            }
            state.totals[device] = numbers
        }
    }
}
