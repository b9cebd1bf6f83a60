import Logging
import MQTT
import ServiceKit
import Wire

/// What a counter that shares the partitions with others does beside counting: it hands partitions over, and takes them.
///
/// The owner reads the partition's session no more, stores everything, and lets go in one transaction; then it sends the
/// rows until the heir has taken them in one transaction, which makes the heir the owner, and which it answers as often
/// as it is asked. The heir reads the session from then on. Whichever process is killed, at any instant, one of the two
/// transactions says whose the partition is, and the broker keeps what comes meanwhile.
struct PartitionWork: Sendable {
    let name: DeviceID
    let sessions: PartitionSessions
    let handover: PartitionHandover
    let connection: ServiceConnection
    /// What the store owns.
    var owned: PartitionRange
    /// What is on its way, the first of it being sent.
    var leaving: [LeavingPartition]
    /// What is still to be let go of, in this order: one partition waits while others are counted.
    var ordered: [LeavingPartition] = []
    var sentAt = Int64.min / 2
    /// Whether the counter has said that it reads.
    var isAnnounced = false

    func say() {
        let away = leaving.map { "\($0.partition.number) to \($0.heir)" }.joined(separator: ", ")
        connection.say(owns: owned.isEmpty ? nil : "\(owned)", leaving: away.isEmpty ? nil : away)
    }
}

extension CounterWorker {
    /// Reads what the store owns.
    mutating func openPartitions() {
        guard let partitions else { return }
        partitions.sessions.open(partitions.owned)
        partitions.say()
    }

    /// Takes what another counter sends, before its message is acknowledged.
    mutating func take(_ message: PartitionMessage) async throws {
        guard let peer = message.peer, let range = try? PartitionRange(message.partitions) else { return }
        switch message.kind {
        // Begun after the batch is done: who asked asks again where it is lost.
        case .move: order(range, to: peer, move: message.move)
        case .taken:
            for partition in range.partitions { try await finish(message.move, of: partition) }
        case .rows:
            guard let part = message.part else { return }
            let store = store
            let received = try await untilWritten {
                try await store.receive(part, recentMicroseconds: Self.takeUpMicroseconds)
            }
            if case .taken(let devices, let recent) = received {
                own(part.partition, devices: devices, recent: recent, from: peer)
            }
            if received != .incomplete { answer(peer, message.move, range) }
        }
    }

    private mutating func order(_ range: PartitionRange, to heir: DeviceID, move: String) {
        guard let partitions, heir != partitions.name else { return }
        let known = Set(partitions.ordered.map(\.partition))
        for partition in range.partitions where partitions.owned.contains(partition) && !known.contains(partition) {
            self.partitions?.ordered.append(
                LeavingPartition(partition: partition, heir: heir, move: "\(move)-\(partition.number)"))
        }
    }

    private func answer(_ peer: DeviceID, _ move: String, _ range: PartitionRange) {
        guard let partitions else { return }
        let answer = PartitionMessage(.taken, move: move, counter: partitions.name, partitions: range)
        partitions.connection.producer.offer(
            MQTTPublication(topic: configuration.bus.topics.bytes(.partitions(peer)), payload: answer.encoded()))
    }

    private mutating func own(_ partition: Partition, devices: Int, recent: [DeviceID], from peer: DeviceID) {
        partitions?.owned.insert(partition)
        partitions?.leaving.removeAll { $0.partition == partition }
        loop.adopt(partition, storedDevices: devices, recent: recent)
        partitions?.sessions.open(PartitionRange([partition]))
        partitions?.say()
        logger.notice(
            "a partition was taken over",
            metadata: ["partition": "\(partition.number)", "from": "\(peer)", "devices": "\(devices)"])
    }

    private mutating func finish(_ move: String, of partition: Partition) async throws {
        let store = store
        try await untilWritten { try await store.finish(move, of: partition) }
        partitions?.leaving.removeAll { $0.move == move }
        partitions?.say()
    }

    /// Lets go of the next partition, or sends one again whose heir has said nothing.
    mutating func movePartitions() async throws {
        if let partitions, !partitions.isAnnounced, partitions.sessions.areInForce {
            self.partitions?.isAnnounced = true
            partitions.connection.announceReading()
        }
        guard let partitions, !partitions.handover.isBusy else { return }
        let now = clock.microseconds
        if let first = partitions.leaving.first {
            guard Double(now - partitions.sentAt) >= PartitionHandover.patienceSeconds * 1e6 else { return }
            self.partitions?.sentAt = now
            return partitions.handover.begin(first)
        }
        guard let next = partitions.ordered.first else { return }
        self.partitions?.ordered.removeFirst()
        await partitions.sessions.close(next.partition)
        try await settle()
        let store = store
        let devices = try await untilWritten { try await store.release(next) }
        loop.release(next.partition, storedDevices: devices)
        self.partitions?.owned.remove(next.partition)
        self.partitions?.leaving.append(next)
        self.partitions?.sentAt = now
        self.partitions?.say()
        logger.notice(
            "a partition is handed over",
            metadata: ["partition": "\(next.partition.number)", "to": "\(next.heir)", "devices": "\(devices)"])
        partitions.handover.begin(next)
    }
}
