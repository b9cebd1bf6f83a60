import MQTT
import ServiceKit
import Wire

/// Another division of the partitions among counters, all of which are stopped: this one's store takes over what another
/// store has of its partitions.
package struct CounterAdoption {
    /// The longest wait for a message that the broker kept, in seconds.
    private static let patienceSeconds = 2.0

    private let configuration: CounterConfiguration
    private let source: String

    /// - Parameters:
    ///   - configuration: That of the counter as it will run.
    ///   - source: The data folder of the other counter.
    package init(_ configuration: CounterConfiguration, from source: String) {
        (self.configuration, self.source) = (configuration, source)
    }

    /// Takes them over, unless messages for either counter wait with the broker: their sessions end with it.
    ///
    /// - Returns: The number of devices that came.
    /// - Throws: ``CounterError`` or `MQTTError`; nothing is lost then.
    package func run() async throws -> Int {
        let theirs = try Self.open(source)
        let ours = try CounterStore(directory: configuration.directory)
        let former = [try theirs.formerPartitions(), try ours.formerPartitions()].compactMap(\.self)
        for partitions in Set(former) where try await isAwaited(partitions) {
            throw CounterError.configuration(
                key: "adopt",
                problem:
                    "comes too early: motion waits for the counter of \(partitions). Stop ingest, start that counter until"
                    + " it has read what waits, and stop it")
        }
        let count = try ours.adopt(configuration.partitions, from: theirs)
        for partitions in Set(former) where partitions != configuration.partitions {
            await ServiceConnection.forgetSession(of: .counter, share: partitions.share, on: configuration.bus)
        }
        try theirs.close()
        try ours.close()
        return count
    }

    /// The store of a counter that was stopped in order, which empties its log.
    private static func open(_ directory: String) throws(CounterError) -> CounterStore {
        _ = try CounterCopy(reading: directory)
        guard try CounterCopy.logNames(in: directory).isEmpty else {
            throw .configuration(
                key: "adopt",
                problem: "is \(directory), whose log has not been counted: start its counter, and stop it in order")
        }
        return try CounterStore(directory: directory)
    }

    /// Whether the broker keeps motion for a counter.
    private func isAwaited(_ partitions: PartitionRange) async throws -> Bool {
        let bus = configuration.bus
        let consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(
                endpoint: bus.endpoint, clientID: bus.clientID(of: "counter", share: partitions.share) + "-in",
                version: bus.version, sessionExpirySeconds: ServiceConnection.sessionExpirySeconds),
            subscriptions: [])
        defer { consumer.stop() }
        let isAwaited = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                // Nothing is acknowledged: whatever comes stays with the broker.
                for try await batch in consumer.batches {
                    for message in batch {
                        switch try? bus.topics.parse(message.topic) {
                        case .motion, .forget: return true
                        default: break
                        }
                    }
                    batch.acknowledge()
                }
                return false
            }
            group.addTask {
                try await Task.sleep(for: .seconds(Self.patienceSeconds))
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
        consumer.stop()
        await consumer.waitUntilStopped()
        return isAwaited
    }
}
