package import Logging
package import ServiceKit
import Synchronization
package import Wire

/// Ingest, from the messages of devices to their acknowledgement.
///
/// Its promise: messages are acknowledged when the broker has taken all motion that is in them. It keeps nothing, so the
/// process may die in any of these lines: what was not acknowledged, the broker delivers again.
///
/// The bus is a protocol: the service gives the real one, and the simulation one that may fail, or die, at any call.
package final class IngestMain<Bus: IngestBus> {
    private struct State {
        var pipeline: IngestPipeline
        /// The last report of health, and what was refused by then.
        var reported: (microseconds: Int64, refused: UInt64)?
    }

    private let bus: Bus
    /// What is read now, and what ended ingest.
    private let inputGuard: InputGuard
    private let logger: Logger
    private let state: Mutex<State>
    private let healthMicroseconds: Int64

    /// An ingest at its start.
    ///
    /// - Parameters:
    ///   - topics: The topics, below their root.
    ///   - limits: What is kept, at most.
    ///   - sources: Foreign topics that are read.
    ///   - counters: The partitions of each counter: all of them, each once.
    ///   - healthSeconds: The time between two reports of health where nothing new is refused, in seconds.
    ///   - inputGuard: Where it is noted what is read, beyond the end of the process.
    package init(
        topics: TopicTree, limits: IngestLimits = IngestLimits(), sources: [DeviceSource] = [],
        counters: [PartitionRange] = [.all], healthSeconds: Double = 5,
        inputGuard: InputGuard = InputGuard(), bus: Bus, logger: Logger
    ) {
        (self.inputGuard, self.bus, self.logger) = (inputGuard, bus, logger)
        healthMicroseconds = Int64(healthSeconds * 1e6)
        state = Mutex(
            State(pipeline: IngestPipeline(topics: topics, limits: limits, sources: sources, counters: counters)))
    }

    /// The messages seen since the start.
    package var counters: IngestCounters { state.withLock { $0.pipeline.counters } }

    /// Passes on what devices send until no more is read.
    package func run() async throws {
        while try await turn() {}
    }

    /// Takes what has come, passes its motion on, and acknowledges it. False when no more is read.
    @discardableResult
    package func turn() async throws -> Bool {
        guard try await bus.next() else { return false }
        let now = bus.nowMicroseconds
        bus.forEachMessage { message in
            _ = inputGuard.read(message.payload, on: message.topic) {
                state.withLock {
                    $0.pipeline.take(
                        topic: message.topic, payload: message.payload, isRetained: message.isRetained,
                        arrivalMicroseconds: now)
                }
            }
        }
        try await publish(state.withLock { $0.pipeline.finish(nowMicroseconds: now) })
        // From here on the broker has all of it, and the next messages may come in.
        try await bus.acknowledge()
        return true
    }

    /// Returns when the broker has taken all motion, however long that takes.
    ///
    /// Motion that is refused together is published one by one: a batch that is too large must not hold up the others for
    /// ever, nor be the reason that others are sent again and again while no counter reads their range.
    private func publish(_ motion: [MotionMessage]) async throws {
        var (rest, isApart, failures) = (motion[...], false, 0)
        while !rest.isEmpty {
            let messages = isApart ? rest.prefix(1) : rest
            switch try await bus.publish(Array(messages), failures: failures) {
            case nil:
                failures = 0
                rest = rest.dropFirst(messages.count)
            case .tooLarge where messages.count == 1:
                rest = rest.dropFirst()
                state.withLock { $0.pipeline.counters.batchesTooLarge += 1 }
                logger.warning("a motion batch is dropped: the broker's max_packet_size is too small")
            case .tooLarge,
                .noSubscriber where messages.count > 1:
                isApart = true
            default:
                failures += 1
                state.withLock { $0.pipeline.counters.publishRetries += 1 }
            }
        }
    }

    /// Passes on refusals that no message brings along, asks phones for their steps, and tells the operator how it goes.
    /// Call it about once a second, beside the turns.
    package func tick() {
        let now = bus.nowMicroseconds
        let refusals = state.withLock { $0.pipeline.takeDueRefusals(nowMicroseconds: now) }
        let refused = refusals.count { !bus.offer($0) }
        let phones = state.withLock { $0.pipeline.duePhones(nowMicroseconds: now) }
        for (phone, questions) in phones where questions.allSatisfy({ bus.ask(topic: "\(phone)/cmd", $0) }) {
            state.withLock { $0.pipeline.noteAsked(phone, nowMicroseconds: now) }
        }
        let due = state.withLock { state -> IngestCounters? in
            state.pipeline.counters.refusalBatchesUntold += UInt64(refused)
            state.pipeline.counters.setAside = inputGuard.setAsideCount
            let counters = state.pipeline.counters
            // A clock that was set back makes a report due.
            if let last = state.reported, last.refused == counters.refused,
                (last.microseconds..<last.microseconds + healthMicroseconds).contains(now)
            {
                return nil
            }
            state.reported = (now, counters.refused)
            return counters
        }
        if let due { bus.report(due) }
    }
}

extension IngestMain: Sendable where Bus: Sendable {}

/// The bus as ingest uses it. An error of its methods ends ingest as a crash would.
package protocol IngestBus {
    /// The time of day, in microseconds since 1970.
    var nowMicroseconds: Int64 { get }
    /// Waits for messages; none may have come. False when no more is read.
    func next() async throws -> Bool
    /// Gives the messages of the last `next`, one after another.
    func forEachMessage(_ body: (IngestMessage) -> Void)
    /// Publishes after the wait for so many failures. Returns why the broker refused some of it; `nil` when it has all.
    func publish(_ motion: [MotionMessage], failures: Int) async throws -> MotionRefusal?
    /// The messages of the last `next` are not sent again.
    func acknowledge() async throws
    /// Publishes if the connection takes it at once, and says whether it did; it may be lost.
    func offer(_ motion: MotionMessage) -> Bool
    /// Asks a device on its own topic, if the connection takes it at once, and says whether it did; it may be lost.
    func ask(topic: String, _ payload: [UInt8]) -> Bool
    /// Publishes the health of the service.
    func report(_ counters: IngestCounters)
}

/// A message of a device, as it came.
///
/// `@unchecked Sendable` because its bytes are the batch's, which is held while they are read, and no thread changes them.
package struct IngestMessage: @unchecked Sendable {
    var topic: UnsafeRawBufferPointer
    var payload: UnsafeRawBufferPointer
    var isRetained: Bool

    package init(topic: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer, isRetained: Bool = false) {
        (self.topic, self.payload, self.isRetained) = (topic, payload, isRetained)
    }
}

/// Why the broker did not take motion.
package enum MotionRefusal: Sendable {
    /// A batch is larger than the broker takes.
    case tooLarge
    /// No counter has ever subscribed to its range: the broker would throw the motion away.
    case noSubscriber
    /// Another reason, such as an access list.
    case other
}
