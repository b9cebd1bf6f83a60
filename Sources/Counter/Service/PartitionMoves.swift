import Logging
import MQTT
import ServiceKit
import Wire

/// The moves of partitions between counters that share them: this one hands partitions over, and takes them.
///
/// The owner reads the partition's session no more, stores everything, and lets go in one transaction; then it sends the
/// rows until the heir has taken them in one transaction, which makes the heir the owner, and which it answers as often
/// as it is asked. The heir reads the session from then on. Whichever process is killed, at any instant, one of the two
/// transactions says whose the partition is, and the broker keeps what comes meanwhile.
package final class PartitionMoves {
    private let name: DeviceID
    private let store: CounterStore
    private let disk: DiskRetries
    private let sessions: PartitionSessions
    private let handover: PartitionHandover
    private let connection: ServiceConnection
    private let topics: TopicTree
    private let logger: Logger
    /// The partitions that the store owns.
    private(set) var owned: PartitionRange
    /// The partitions on their way, the first of them being sent.
    private var leaving: [LeavingPartition]
    /// The partitions that are still to be let go of, in this order: one partition waits while others are counted.
    private var ordered: [LeavingPartition] = []
    private var sentAt = Int64.min / 2
    /// Whether the counter has said that it reads.
    private var isAnnounced = false

    init(
        _ name: DeviceID, store: CounterStore, disk: DiskRetries, sessions: PartitionSessions,
        handover: PartitionHandover, connection: ServiceConnection, topics: TopicTree,
        partitions: (owned: PartitionRange, leaving: [LeavingPartition]), logger: Logger
    ) {
        (self.name, self.store, self.disk, self.sessions, self.handover) = (name, store, disk, sessions, handover)
        (self.connection, self.topics, self.logger) = (connection, topics, logger)
        (owned, leaving) = partitions
    }

    /// Reads what the store owns.
    func begin() {
        sessions.open(owned)
        say()
    }

    private func say() {
        let away = leaving.map { "\($0.partition.number) to \($0.heir)" }.joined(separator: ", ")
        connection.say(owns: owned.isEmpty ? nil : "\(owned)", leaving: away.isEmpty ? nil : away)
    }
}

// MARK: - Handing over

extension PartitionMoves {
    /// Lets go of the next partition, or sends one again whose heir has said nothing.
    func goOn(_ main: CounterMain) async throws {
        if !isAnnounced, sessions.areInForce {
            isAnnounced = true
            connection.announceReading()
        }
        guard !handover.isBusy else { return }
        if let first = leaving.first {
            guard Double(main.now - sentAt) >= PartitionHandover.patienceSeconds * 1e6 else { return }
            sentAt = main.now
            return handover.begin(first)
        }
        guard !ordered.isEmpty else { return }
        let next = ordered.removeFirst()
        await sessions.close(next.partition)
        try await main.storeEverything()
        let devices = try await disk.untilItWorks { [store] in try await store.release(next) }
        main.release(next.partition, storedDevices: devices)
        owned.remove(next.partition)
        leaving.append(next)
        sentAt = main.now
        say()
        logger.notice(
            "a partition is handed over",
            metadata: ["partition": "\(next.partition.number)", "to": "\(next.heir)", "devices": "\(devices)"])
        handover.begin(next)
    }

    private func order(_ range: PartitionRange, to heir: DeviceID, move: String) {
        guard heir != name else { return }
        let known = Set(ordered.map(\.partition))
        for partition in range.partitions where owned.contains(partition) && !known.contains(partition) {
            ordered.append(LeavingPartition(partition: partition, heir: heir, move: "\(move)-\(partition.number)"))
        }
    }

    private func finish(_ move: String, of partition: Partition) async throws {
        try await disk.untilItWorks { [store] in try await store.finish(move, of: partition) }
        leaving.removeAll { $0.move == move }
        say()
    }
}

// MARK: - Taking over

extension PartitionMoves {
    /// Takes a message about partitions, before it is acknowledged.
    func take(_ message: PartitionMessage, _ main: CounterMain) async throws {
        guard let peer = message.peer, let range = try? PartitionRange(message.partitions) else { return }
        switch message.kind {
        // Begun after the batch is done: who asked asks again where it is lost.
        case .move: order(range, to: peer, move: message.move)
        case .taken:
            for partition in range.partitions { try await finish(message.move, of: partition) }
        case .rows:
            guard let part = message.part else { return }
            let received = try await disk.untilItWorks { [store] in try await store.receive(part) }
            if case .taken(let devices, let recent) = received {
                own(part.partition, devices: devices, recent: recent, from: peer, main)
            }
            if received != .incomplete { answer(peer, message.move, range) }
        }
    }

    private func answer(_ peer: DeviceID, _ move: String, _ range: PartitionRange) {
        let answer = PartitionMessage(.taken, move: move, counter: name, partitions: range)
        connection.producer.offer(
            MQTTPublication(topic: topics.bytes(.partitions(peer)), payload: answer.encoded()))
    }

    private func own(
        _ partition: Partition, devices: Int, recent: [DeviceID], from peer: DeviceID, _ main: CounterMain
    ) {
        owned.insert(partition)
        leaving.removeAll { $0.partition == partition }
        main.adopt(partition, storedDevices: devices, recent: recent)
        sessions.open(PartitionRange([partition]))
        say()
        logger.notice(
            "a partition was taken over",
            metadata: ["partition": "\(partition.number)", "from": "\(peer)", "devices": "\(devices)"])
    }
}
