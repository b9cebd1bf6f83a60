import Logging
import MQTT
import Wire

/// Tells the counter what must be forgotten, and finishes what a process before this one has begun to forget.
///
/// The counter keeps what it has counted for some days, and the broker what is retained of a device. An order is said
/// until the broker has it, which keeps it for the counter; the counter obeys in one transaction and sends its rows,
/// which are empty now.
struct ForgettingPublisher<Store: HistoryStore>: Sendable {
    let store: Store
    let topics: TopicTree
    let producer: MQTTProducer
    let desk: ForgettingDesk
    let board: SharedBoard
    let telemetry: HistoryTelemetry
    let logger: Logger

    /// How many are looked at in one round.
    static var maximumARound: Int { 100 }

    /// Publishes what is due. What cannot be published stays due.
    func publishDue() async {
        guard desk.take() else { return }
        do {
            let waiting = try await store.forgettings(limit: Self.maximumARound)
            for forgetting in waiting where !desk.isInHand(forgetting.device) { try await finish(forgetting) }
            if waiting.count == Self.maximumARound { desk.raise() }
        } catch {
            desk.raise()
            telemetry.count(.publishFailures)
            logger.debug("the counter is told later what to forget", metadata: ["error": "\(error)"])
        }
    }

    private func finish(_ forgetting: Forgetting) async throws {
        if !forgetting.isDone { try await store.resume(forgetting) }
        let topic = topics.bytes(.forget(Partition(of: forgetting.device)))
        var publications = [MQTTPublication(topic: topic, payload: forgetting.order.encoded())]
        if try await store.device(forgetting.device) == nil {
            publications += topics.clearedTotals(of: forgetting.device)
        }
        try await producer.publish(publications)
        board.change([forgetting.device])
        try await store.end(forgetting)
        telemetry.count(.forgotten)
    }
}

extension TopicTree {
    /// What takes the retained totals of a device away that was forgotten.
    func clearedTotals(of device: DeviceID) -> [MQTTPublication] {
        [DeviceChannel.day, .total].map { channel in
            MQTTPublication(topic: bytes(.device(device, channel)), payload: [], retain: true)
        }
    }
}
