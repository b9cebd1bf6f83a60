import Logging
import MQTT
import ServiceKit
import Wire

/// The counter's bus: what comes over its sessions, and what it publishes.
final class CounterLink: CounterBus {
    private let topics: TopicTree
    private let inputs: CounterInputs
    private let connection: ServiceConnection
    private let outbox: Outbox
    private let reporter: CounterReporter
    private let moves: PartitionMoves?
    private let logger: Logger
    private var live: LivePublisher
    private var tally = CounterCounters()
    /// The batches that are being counted.
    private var batches: [MQTTBatch] = []

    init(
        topics: TopicTree, inputs: CounterInputs, connection: ServiceConnection, outbox: Outbox,
        reporter: CounterReporter, moves: PartitionMoves?, logger: Logger
    ) {
        (self.topics, self.inputs, self.connection, self.outbox) = (topics, inputs, connection, outbox)
        (self.reporter, self.moves, self.logger) = (reporter, moves, logger)
        live = LivePublisher(topics: topics, producer: connection.producer)
    }

    func next() async throws -> [CounterMessage]? {
        ServiceProgress.note(.counter)
        guard let read = try await inputs.next() else { return nil }
        batches = read.map(\.batch)
        var messages: [CounterMessage] = []
        for (partition, batch) in read {
            if let connection = batch.connection { note(connection, of: partition) }
            for message in batch {
                do throws(WireError) {
                    if let message = try self.read(message, ofPartition: partition) { messages.append(message) }
                } catch { messages.append(.unreadable(error)) }
            }
        }
        return messages
    }

    private func note(_ connection: MQTTSessionInfo, of partition: Partition?) {
        guard !connection.sessionPresent else { return }
        tally[.lostSessions] += 1
        // Of many sessions that begin together, one line is enough.
        logger.log(
            level: partition == nil ? .notice : .debug,
            "the broker has no messages kept for us from before this connection")
    }

    private func read(
        _ message: MQTTMessage, ofPartition session: Partition?
    ) throws(WireError) -> CounterMessage? {
        switch try topics.parse(message.topic) {
        case .motion:
            guard !message.isRetained else { throw .retainedData }
            return .record(.motion(Array(message.payload)))
        case .device(let device, .config):
            // One byte more than may be is enough to refuse it.
            return .record(.config(device, Array(message.payload.prefix(CounterMain.maximumConfigBytes + 1))))
        case .forget(let partition):
            guard !message.isRetained else { throw .retainedData }
            // It comes over the partition's own session too, in its place among the motion.
            if session == nil, moves?.owned.contains(partition) == true { return nil }
            let order = try CountsForget(decoding: message.payload)
            guard Partition(of: order.device) == partition else { throw .malformed }
            return .record(.forget(order))
        case .resend: return .resend(try CountsResend(decoding: message.payload))
        case .partitions: return .partitions(try PartitionMessage(json: message.payload))
        case .call:
            connection.sayStatus()
            return nil
        default: throw .unknownTopic
        }
    }

    func acknowledge() {
        for batch in batches {
            tally[batch.acknowledge() ? .acknowledged : .acknowledgedTooLate] += 1
        }
        batches = []
    }

    func publish(_ outputs: [LiveOutput]) {
        live.retry()
        live.publish(outputs)
    }

    func takeBack(_ device: DeviceID) async throws { try await live.takeBack(device) }
    func resend(_ request: CountsResend) async throws { try await outbox.resend(request) }
    func noteRows() async { await outbox.noteRows() }

    func report(_ counters: CounterCounters, _ pipeline: CounterTally) async {
        (tally[.livePublished], tally[.liveDropped]) = (live.published, live.dropped)
        reporter.note(counters + tally, pipeline)
        await reporter.publishWhenDue()
    }
}
