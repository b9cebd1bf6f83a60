import Logging
import MQTT
import ServiceKit
package import Wire

/// A message of the bus, as the counter reads it.
package enum CounterMessage: Sendable {
    /// It changes what is counted, and so it goes into the log.
    case record(LogRecord)
    /// History has missed rows.
    case resend(CountsResend)
    /// Another counter is at work on some of the same partitions.
    case rival(PartitionRange)
    case unreadable(WireError)
}

/// The bus as the counter uses it. An error of its methods ends the counter as a crash would: the next start counts
/// what the log has.
package protocol CounterBus {
    /// Waits for messages, the next tick, or the end of what is being stored; none may have come, or only such as the bus
    /// answers itself. `nil` when no more is read.
    func next() async throws -> [CounterMessage]?
    /// The messages of the last `next` are not sent again.
    func acknowledge() async throws
    /// Publishes live reports, if the connection takes them.
    func publish(_ outputs: [LiveOutput]) async throws
    /// Clears what the broker retains of a device.
    func takeBack(_ device: DeviceID) async throws
    /// Sends rows to history once more.
    func resend(_ request: CountsResend) async throws
    /// There are new rows for history.
    func noteRows() async throws
    /// Tells the operator how the counting goes.
    func report(_ tally: CounterTally) async throws
}

/// The counter's bus: what comes over its sessions, and what it publishes.
final class CounterLink: CounterBus {
    private let topics: TopicTree
    private let partitions: PartitionRange
    private let inputs: BatchInputs
    private let outbox: Outbox
    /// What is read now, and what ended the counter.
    private let inputGuard: InputGuard
    private let logger: Logger
    private let counters: CounterCounters
    private var live: LivePublisher
    /// The batches that are being counted.
    private var batches: [MQTTBatch] = []

    init(
        topics: TopicTree, partitions: PartitionRange, inputs: BatchInputs, connection: ServiceConnection,
        outbox: Outbox, inputGuard: InputGuard, counters: CounterCounters, logger: Logger
    ) {
        (self.partitions, self.inputGuard) = (partitions, inputGuard)
        (self.topics, self.inputs, self.outbox) = (topics, inputs, outbox)
        (self.counters, self.logger) = (counters, logger)
        live = LivePublisher(topics: topics, producer: connection.producer, counters: counters)
    }

    func next() async throws -> [CounterMessage]? {
        ServiceProgress.note(.counter)
        guard let read = try await inputs.next() else { return nil }
        batches = read
        var messages: [CounterMessage] = []
        for batch in read {
            if let connection = batch.connection { note(connection) }
            for message in batch {
                if let message = readGuarded(message) { messages.append(message) }
            }
        }
        return messages
    }

    private func note(_ connection: MQTTSessionInfo) {
        guard !connection.sessionPresent else { return }
        counters.add(.lostSessions)
        logger.notice("the broker has no messages kept for us from before this connection")
    }

    /// What a message says, unless the counter has died twice while it read it.
    private func readGuarded(_ message: MQTTMessage) -> CounterMessage? {
        let said = inputGuard.read(message.payload, on: message.topic) { () -> CounterMessage? in
            do throws(WireError) { return try read(message) } catch { return .unreadable(error) }
        }
        return said ?? nil
    }

    private func read(_ message: MQTTMessage) throws(WireError) -> CounterMessage? {
        switch try topics.parse(message.topic) {
        case .motion:
            guard !message.isRetained else { throw .retainedData }
            return .record(.motion(Array(message.payload)))
        case .device(let device, .config):
            // One byte more than may be is enough to refuse it.
            return .record(.config(device, Array(message.payload.prefix(CounterMain.maximumConfigBytes + 1))))
        case .forget(let partition):
            guard !message.isRetained else { throw .retainedData }
            let order = try CountsForget(decoding: message.payload)
            guard Partition(of: order.device) == partition else { throw .malformed }
            return .record(.forget(order))
        case .instanceStatus(.counter, let name):
            // What is retained was there before this connection: of two counters the newer one ends.
            guard message.isRetained, message.payload.elementsEqual("online".utf8),
                let range = PartitionRange("\(name)"), range != partitions, range.overlaps(partitions)
            else { return nil }
            return .rival(range)
        case .resend: return .resend(try CountsResend(decoding: message.payload))
        default: throw .unknownTopic
        }
    }

    func acknowledge() {
        for batch in batches {
            // One whose connection is gone by now comes again.
            if batch.acknowledge() { counters.add(.acknowledged) }
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

    func report(_ tally: CounterTally) {
        counters.note(tally)
        counters.publishWhenDue()
    }
}
