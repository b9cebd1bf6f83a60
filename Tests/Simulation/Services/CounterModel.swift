import Counter
import Wire

/// A counter that is alive: the real pipeline and the real cursors, and the loops around them taken apart, so that it
/// can die between any two of their steps.
struct CounterModel {
    /// Where the line of work is.
    private enum Stage {
        case reading
        case counted(CounterCommit)
        case committed
    }

    /// Rows that are published and not yet confirmed.
    private struct Sending {
        var message: Int
        var lastRevision: UInt64
        var generation: Int
    }

    private var pipeline: CounterPipeline
    private(set) var publisher = SimulatedPublisher()
    private var stage = Stage.reading
    private var batchCount = 0
    private var connection = 0
    private var counted: [MessageKey] = []
    private var cursor: OutboxCursor
    private var sending: Sending?
    private var tickedAt: Int64
    private var hasTakenUp = false

    /// A counter that starts with what the store has.
    init(_ system: inout SimulationCore) {
        pipeline = CounterPipeline(knownDevices: system.counterStore.states.count)
        pipeline.resume(nowMicroseconds: system.now)
        tickedAt = system.now
        cursor = OutboxCursor(stored: system.counterStore.published)
    }

    var isIdle: Bool {
        guard case .reading = stage else { return false }
        return publisher.isIdle && sending == nil && !cursor.hasRows && !cursor.isMoved
    }

    /// Takes one step of the line of work: count, commit, or acknowledge.
    mutating func step(_ system: inout SimulationCore) {
        switch stage {
        case .reading: read(&system)
        case .counted(let commit): store(commit, &system)
        case .committed:
            if system.mutant != .counterAcknowledgesFirst { acknowledge(&system) }
            _ = pipeline.takeLive()
            stage = .reading
        }
    }

    private mutating func read(_ system: inout SimulationCore) {
        let messages = system.read(.counter, atMost: 1 + system.random.below(4))
        guard !messages.isEmpty else { return }
        batchCount = messages.count
        connection = system.bus.connections[SimulatedReader.counter.rawValue]
        for message in messages { take(message, &system) }
        stage = .counted(pipeline.takeCommit())
        if system.mutant == .counterAcknowledgesFirst { acknowledge(&system) }
    }

    private mutating func take(_ message: BusMessage, _ system: inout SimulationCore) {
        message.payload.withUnsafeBytes { bytes in
            if case .resend = message.topic {
                guard let request = try? CountsResend(decoding: bytes) else { return }
                return cursor.rewind(to: request.revision(ofEpoch: system.counterStore.epoch))
            }
            guard var decoder = try? MotionBatchDecoder(bytes) else { return }
            while let record = try? decoder.next() { take(record, &system) }
        }
    }

    private mutating func take(_ record: MotionRecord, _ system: inout SimulationCore) {
        if pipeline.needsState(for: record.device) {
            _ = pipeline.restore(
                device: record.device, state: system.counterStore.states[record.device], config: nil)
        }
        if let key = MessageKey(record) {
            system.note(key)
            counted.append(key)
        }
        pipeline.accept(system.mutant == .noIdentityCheck ? renamed(record, &system) : record)
    }

    /// The same content under a name that nobody has had.
    private func renamed(_ record: MotionRecord, _ system: inout SimulationCore) -> MotionRecord {
        var copy = record
        guard case .frame(var frame) = record.content else { return record }
        frame.identity = .unsequenced(contentHash: system.random.next())
        copy.content = .frame(frame)
        return copy
    }

    private mutating func store(_ commit: CounterCommit, _ system: inout SimulationCore) {
        guard !system.storeFails() else { return }
        if system.mutant == .tornCommit {
            system.counterStore.keep(states: commit.states)
            if system.random.chance(system.rates.processCrash * 4) { return system.crash(.counter) }
        }
        system.counterStore.commit(commit)
        system.counted.formUnion(counted)
        counted.removeAll()
        if !commit.increments.isEmpty { cursor.hasRows = true }
        pipeline.evict()
        stage = .committed
    }

    private mutating func acknowledge(_ system: inout SimulationCore) {
        guard batchCount > 0 else { return }
        system.bus.acknowledge(batchCount, by: .counter, over: connection)
        batchCount = 0
    }

    /// Takes up everybody who may be silent. The service does so at its start; here it waits for the first tick,
    /// because many of these counters do not live that long.
    private mutating func takeUp(_ system: SimulationCore) {
        guard !hasTakenUp else { return }
        hasTakenUp = true
        for (device, state) in system.counterStore.states.sorted(by: { $0.key < $1.key }) {
            _ = pipeline.restore(device: device, state: state, config: nil)
        }
    }

    /// Looks at who is silent, unless a batch is being worked on.
    mutating func tick(_ system: inout SimulationCore) {
        guard case .reading = stage else { return }
        takeUp(system)
        if system.now - tickedAt > CounterChores.heldUpMicroseconds {
            pipeline.resume(nowMicroseconds: system.now)
        } else {
            pipeline.tick(nowMicroseconds: system.now)
        }
        tickedAt = system.now
        let commit = pipeline.takeCommit()
        if !commit.isEmpty { stage = .counted(commit) }
    }
}

// MARK: - Rows for history

extension CounterModel {
    /// Publishes the next rows that are due, when those before are confirmed.
    mutating func sendRows(_ system: inout SimulationCore) {
        guard sending == nil, cursor.hasRows else { return }
        let batch = system.counterStore.counts(
            after: cursor.published, asDifferences: system.mutant == .differences)
        guard let batch else { return cursor.hasRows = false }
        let message = system.message(.counts(system.partitions[0]), batch.encoded())
        publisher.publish(message)
        sending = Sending(message: message.id, lastRevision: batch.lastRevision, generation: cursor.generation)
        if system.mutant == .cursorBeforeConfirmation { advance() }
    }

    private mutating func advance() {
        guard let sending else { return }
        cursor.advance(through: sending.lastRevision, generation: sending.generation)
    }

    /// Stores how far history has the rows.
    mutating func storeCursor(_ system: inout SimulationCore) {
        guard cursor.isMoved else { return }
        system.counterStore.setPublished(cursor.published)
        cursor.store(cursor.published)
    }

    mutating func confirm(_ system: inout SimulationCore) {
        guard let message = publisher.confirm() else { return }
        guard let sent = sending, sent.message == message else { return }
        system.confirmed = max(system.confirmed, sent.lastRevision)
        advance()
        if system.mutant == .differences { system.counterStore.noteSent(through: sent.lastRevision) }
        sending = nil
    }

    mutating func announce(_ system: inout SimulationCore) {
        publisher.publish(system.message(.counterOnline, []))
    }

    mutating func advance(_ bus: inout SimulatedBus, copies: Int) { publisher.advance(&bus, copies: copies) }
    mutating func reconnect() { publisher.reconnect() }
}
