import MQTT
import Wire

extension CounterWorker {
    /// Forgets what history was told to forget. The order is acknowledged only when that is on the disk and the broker
    /// keeps nothing of it any more, so that an end in between makes it come again.
    mutating func obey(_ order: CountsForget, in partition: Partition) async throws {
        guard Partition(of: order.device) == partition, configuration.partitions.contains(partition) else {
            throw WireError.malformed
        }
        // What came before the order is counted before it, and told before it is taken back.
        try await commit()
        publishLive()
        let store = store
        let hadState = try await untilStored { try await store.forget(order) }
        if order.isWhole {
            pipeline.forget(order.device, wasStored: hadState)
            try await live.takeBack(order.device)
        }
        await outbox.noteRows()
    }
}
