package import Wire

/// The state machine of ingest, as a value: it takes events and returns effects.
///
/// Its promise: `acknowledge` comes only after the broker has accepted all motion of the batch. Whoever runs the loop
/// dies where it likes: what was read and not acknowledged, the broker delivers again.
package struct IngestLoop {
    /// An event of the connection or of the clock.
    package enum Event {
        /// The subscriptions of a new connection are in force.
        case subscribed
        case message(topic: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer, isRetained: Bool)
        /// The batch has no more messages.
        case batchEnded
        /// The broker has accepted everything of the last `publish`.
        case accepted
        /// The broker has refused something of the last `publish`.
        case refused(Refusal)
        /// About a second has passed.
        case tick
    }

    /// Why the broker did not take motion.
    package enum Refusal: Sendable {
        /// A batch is larger than the broker takes.
        case tooLarge
        /// No counter has ever subscribed to a partition: the broker would throw the motion away.
        case noSubscriber
        /// Another reason, such as an access list.
        case other
    }

    /// A thing to do; effects are performed in their order.
    package enum Effect: Sendable {
        /// Say that ingest is there.
        case announceReading
        /// Publish, after the wait for this many failures, and give the answer back as an event.
        case publish([MotionMessage], failures: Int)
        case acknowledge
        /// Publish if the connection takes it at once; it may be lost.
        case offer([MotionMessage])
        /// Ask a device on its own topic, if the connection takes it at once; it may be lost.
        case ask(topic: String, [UInt8])
        /// Publish the health of the service.
        case report(ServiceHealth)
        /// Write a line of the log, as a warning.
        case warn(String)
    }

    private var pipeline: IngestPipeline
    private var reporter: IngestReporter
    private var publishing = PublishCounters()
    /// Motion of the batch that the broker has not accepted yet.
    private var pending: [MotionMessage] = []
    /// Messages are published one by one, because the broker refused them together.
    private var isApart = false
    private var failures = 0

    /// A loop at its start.
    ///
    /// - Parameters:
    ///   - topics: The topics, below their root.
    ///   - limits: What is kept, at most.
    ///   - sources: Foreign topics that are read.
    ///   - healthSeconds: The time between two reports of health, in seconds.
    ///   - logSeconds: The time between two lines that say what was refused, in seconds.
    package init(
        topics: TopicTree, limits: IngestLimits, sources: [DeviceSource] = [], healthSeconds: Double = 5,
        logSeconds: Double = 60
    ) {
        pipeline = IngestPipeline(topics: topics, limits: limits, sources: sources)
        reporter = IngestReporter(
            healthMicroseconds: Int64(healthSeconds * 1e6), logMicroseconds: Int64(logSeconds * 1e6))
    }

    /// The messages seen since the start.
    package var counters: IngestCounters { pipeline.counters }

    /// Takes an event, and gives the effects that follow from it.
    ///
    /// - Parameter now: The time of day, in microseconds since 1970.
    package mutating func handle(_ event: Event, nowMicroseconds now: Int64) -> [Effect] {
        switch event {
        case .subscribed: return [.announceReading]
        case .message(let topic, let payload, let isRetained):
            pipeline.take(topic: topic, payload: payload, isRetained: isRetained, arrivalMicroseconds: now)
            return []
        case .batchEnded:
            pending = pipeline.finish(nowMicroseconds: now)
            isApart = false
            return [next()]
        case .accepted:
            failures = 0
            pending.removeFirst(isApart ? min(1, pending.count) : pending.count)
            return [next()]
        case .refused(let reason): return refused(reason)
        case .tick: return tick(now)
        }
    }

    package func health(nowMicroseconds: Int64) -> ServiceHealth {
        IngestReporter.health(pipeline.counters, publishing, nowMicroseconds: nowMicroseconds)
    }

    private func next() -> Effect {
        guard !pending.isEmpty else { return .acknowledge }
        return .publish(isApart ? [pending[0]] : pending, failures: failures)
    }

    /// One batch that is too large must not hold up the others for ever, nor be the reason that others are sent again
    /// and again while no counter reads their partition.
    private mutating func refused(_ reason: Refusal) -> [Effect] {
        let isSingle = isApart || pending.count == 1
        switch reason {
        case .tooLarge where isSingle:
            publishing.tooLarge += 1
            pending.removeFirst(min(1, pending.count))
            return [.warn("a motion batch is dropped: the broker's max_packet_size is too small"), next()]
        case .tooLarge,
            .noSubscriber where !isSingle:
            isApart = true
            return [next()]
        default:
            publishing.retries += 1
            failures += 1
            return [next()]
        }
    }

    private mutating func tick(_ now: Int64) -> [Effect] {
        var effects: [Effect] = []
        let due = pipeline.finish(nowMicroseconds: now)
        if !due.isEmpty { effects.append(.offer(due)) }
        effects += pipeline.ownTracks.questions(nowMicroseconds: now).map { .ask(topic: $0.topic, $0.payload) }
        let report = reporter.report(pipeline.counters, publishing, nowMicroseconds: now)
        if let health = report.health { effects.append(.report(health)) }
        if let line = report.line { effects.append(.warn(line)) }
        return effects
    }

    /// Notes motion that was offered and not taken.
    package mutating func noteUnoffered(_ messages: Int) {
        publishing.unofferedBatches += UInt64(messages)
    }
}
