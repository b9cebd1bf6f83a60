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
    private let logger: Logger
    private var live: LivePublisher
    private var tally = CounterCounters()
    /// The batches that are being counted.
    private var batches: [MQTTBatch] = []

    init(
        topics: TopicTree, inputs: CounterInputs, connection: ServiceConnection, outbox: Outbox,
        reporter: CounterReporter, logger: Logger
    ) {
        (self.topics, self.inputs, self.connection, self.outbox) = (topics, inputs, connection, outbox)
        (self.reporter, self.logger) = (reporter, logger)
        live = LivePublisher(topics: topics, producer: connection.producer)
    }

    func next() async throws -> [CounterMessage]? {
        ServiceProgress.note(.counter)
        guard let read = try await inputs.next() else { return nil }
        batches = read
        var messages: [CounterMessage] = []
        for batch in read {
            if let connection = batch.connection { note(connection) }
            for message in batch {
                do throws(WireError) { messages.append(try self.read(message)) } catch {
                    messages.append(.unreadable(error))
                }
            }
        }
        return messages
    }

    private func note(_ connection: MQTTSessionInfo) {
        guard !connection.sessionPresent else { return }
        tally[.lostSessions] += 1
        logger.notice("the broker has no messages kept for us from before this connection")
    }

    private func read(_ message: MQTTMessage) throws(WireError) -> CounterMessage {
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
        case .resend: return .resend(try CountsResend(decoding: message.payload))
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
