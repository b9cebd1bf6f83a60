import Logging
import MQTT
import ServiceKit
import ServiceLifecycle
import Synchronization
import Wire

/// Performs the effects of the counter's loop on files, store and bus.
struct CounterWorker: Sendable {
    /// Devices that changed within this time before the last commit are taken up at the start, in microseconds: their
    /// riders may need a 0, and frames of theirs may wait for others that never came.
    static let takeUpMicroseconds: Int64 = 600_000_000
    /// The time between two prunings of minutes, in seconds.
    private static let pruneSeconds = 3_600

    let configuration: CounterConfiguration
    let store: CounterStore
    let outbox: Outbox
    private let connection: ServiceConnection
    let logger: Logger
    let clock = SteadyClock()
    var loop: CounterLoop
    var live: LivePublisher
    var tally = CounterMetrics()
    private let log: LogWriter
    private let events: WorkerInputs
    let writer: StoreWriter
    private var healthAt = Int64.min / 2
    private var prunedAt = Int64.min / 2
    /// The batches that are being worked on.
    private var batches: [MQTTBatch] = []
    /// The moves of partitions between counters; `nil` for the only counter.
    var partitions: PartitionWork?
    /// The commit that is being stored.
    private var storing: (through: UInt64, hasRows: Bool)?
    /// Events that came while the store was waited for: at most a batch and the end.
    private var held: [WorkerInput] = []

    init(
        _ configuration: CounterConfiguration, store: CounterStore, outbox: Outbox, connection: ServiceConnection,
        events: WorkerInputs, writer: StoreWriter, partitions: PartitionWork? = nil, logger: Logger
    ) async throws {
        self.partitions = partitions
        self.configuration = configuration
        self.store = store
        self.outbox = outbox
        self.logger = logger
        self.events = events
        self.writer = writer
        self.connection = connection
        live = LivePublisher(topics: configuration.bus.topics, producer: connection.producer)
        let progress = try await store.progress()
        loop = CounterLoop(
            limits: configuration.limits, partitions: partitions?.owned ?? configuration.partitions,
            knownDevices: try await store.deviceCount(), storedPosition: progress.stored,
            nowMicroseconds: clock.microseconds, zone: configuration.zone)
        log = LogWriter(
            CounterLog(
                LogDirectory(configuration.directory, waitsForDisk: configuration.synchronous == .full),
                epoch: store.epoch, progress: progress))
    }

    /// Counts what the log has, works until the reading ends, and then stores everything.
    mutating func run() async throws {
        try await replay()
        openPartitions()
        while true {
            switch try await nextEvent() {
            case .batches:
                try await work(on: events.takeBatches())
                try await movePartitions()
            case .tick:
                events.tickTaken()
                try await tick()
                try await movePartitions()
            case .stored(let result): try await perform(finishStoring(result))
            case .finished(let error):
                if let error { throw error }
                try await settle()
                return try await log.empty()
            }
        }
    }

    /// Counts and stores everything that was read.
    mutating func settle() async throws { try await perform(loop.handle(.stopping)) }

    private mutating func replay() async throws {
        var count = 0
        while let part = try await log.readNext() {
            for note in part.notes { logger.error("\(note)") }
            for record in part.records {
                try await perform(loop.handle(.replayed(record.payload, position: record.position)))
            }
            count += part.records.count
        }
        if count > 0 { logger.info("counted the log", metadata: ["records": "\(count)"]) }
        let recent = try await store.recentDevices(
            withinMicroseconds: Self.takeUpMicroseconds, limit: configuration.limits.maximumDevices)
        loop.begin(nowMicroseconds: clock.microseconds, recent: recent, after: log.lastPosition)
    }

    private mutating func nextEvent() async throws -> WorkerInput {
        guard held.isEmpty else { return held.removeFirst() }
        for await event in events.stream { return event }
        throw CancellationError()
    }

    private mutating func work(on read: [WorkerInputs.Batch]) async throws {
        guard !read.isEmpty else { return }
        batches = read.map(\.batch)
        defer { batches = [] }
        var messages: [CounterLoop.Message] = []
        var moves: [PartitionMessage] = []
        for (partition, batch) in read {
            if let connection = batch.connection { note(connection, of: partition) }
            for message in batch {
                do throws(WireError) {
                    switch try self.read(message, ofPartition: partition) {
                    case .message(let message): messages.append(message)
                    case .partitions(let message): moves.append(message)
                    case .call: connection.sayStatus()
                    case .nothing: break
                    }
                } catch {
                    loop.tally.refusedMessages &+= 1
                    warn(error)
                }
            }
        }
        for message in moves { try await take(message) }
        try await perform(loop.handle(.batch(messages)))
    }

    /// What a message of the bus is to the counter.
    private enum Reading {
        case message(CounterLoop.Message)
        case partitions(PartitionMessage)
        case call
        case nothing
    }

    private func read(_ message: MQTTMessage, ofPartition session: Partition?) throws(WireError) -> Reading {
        switch try configuration.bus.topics.parse(message.topic) {
        case .call: return .call
        case .partitions: return .partitions(try PartitionMessage(json: message.payload))
        case .forget(let partition) where session == nil && partitions?.owned.contains(partition) == true:
            // It comes over the partition's own session too, in its place among the motion.
            return .nothing
        case let topic: return .message(try read(message, on: topic))
        }
    }

    private func read(_ message: MQTTMessage, on topic: Topic) throws(WireError) -> CounterLoop.Message {
        switch topic {
        case .motion:
            guard !message.isRetained else { throw .retainedData }
            return .motion(Array(message.payload))
        case .device(let device, .config):
            guard message.payload.count <= CounterLoop.maximumConfigBytes else { return .config(device, [0]) }
            return .config(device, Array(message.payload))
        case .resend: return .resend(try CountsResend(decoding: message.payload))
        case .forget(let partition):
            guard !message.isRetained else { throw .retainedData }
            let order = try CountsForget(decoding: message.payload)
            guard Partition(of: order.device) == partition else { throw .malformed }
            return .forget(order)
        default: throw .unknownTopic
        }
    }

    private mutating func tick() async throws {
        let now = clock.microseconds
        try await perform(loop.handle(.tick(nowMicroseconds: now)))
        live.retry()
        await publishHealthWhenDue(now)
        if Self.isDue(&prunedAt, every: Self.pruneSeconds, now), await prune(now) { prunedAt = .min / 2 }
    }

    private mutating func publishHealthWhenDue(_ now: Int64) async {
        if Self.isDue(&healthAt, every: configuration.limits.healthSeconds, now) { await publishHealth(now) }
    }

    /// Whether work that was last done at a time is to be done again now, at times in microseconds.
    private static func isDue(_ doneAt: inout Int64, every seconds: Int, _ now: Int64) -> Bool {
        guard now - doneAt >= Int64(seconds) * 1_000_000 else { return false }
        doneAt = now
        return true
    }

    private func warn(_ error: WireError) {
        logger.warning("a message was refused", metadata: ["reason": "\(error.reason)"])
    }

    private mutating func note(_ connection: MQTTSessionInfo, of partition: Partition?) {
        guard !connection.sessionPresent else { return }
        tally.lostSessions &+= 1
        // Of many sessions that begin together, one line is enough.
        logger.log(
            level: partition == nil ? .notice : .debug,
            "the broker has no messages kept for us from before this connection")
    }
}

// MARK: - Effects

extension CounterWorker {
    /// Performs effects, and gives the loop the answers.
    private mutating func perform(_ effects: [CounterLoop.Effect]) async throws {
        var effects = effects
        while !effects.isEmpty {
            var answers: [CounterLoop.Effect] = []
            for effect in effects { answers += try await perform(effect) }
            effects = answers
        }
    }

    private mutating func perform(_ effect: CounterLoop.Effect) async throws -> [CounterLoop.Effect] {
        switch effect {
        case .log(let payloads):
            let log = log
            try await untilWritten { try await log.write(payloads) }
            return loop.handle(.logged)
        case .load(let devices):
            let store = store
            return loop.handle(.loaded(try await untilWritten { try await store.load(devices) }))
        case .setAside(let devices): try await setAside(devices)
        case .store(let commit):
            storing = (commit.progress?.stored ?? 0, !commit.increments.isEmpty || !commit.claims.isEmpty)
            writer.begin(commit, nowMicroseconds: clock.microseconds)
        case .awaitStored: return try await awaitStored()
        case .forget(let order):
            let store = store
            let hadState = try await untilWritten { try await store.forget(order) }
            if order.isWhole { try await live.takeBack(order.device) }
            await outbox.noteRows()
            return loop.handle(.forgotten(hadState: hadState))
        case .resend(let request):
            let outbox = outbox
            try await untilWritten { try await outbox.resend(request) }
        case .acknowledge:
            for batch in batches {
                if batch.acknowledge() { tally.acknowledged &+= 1 } else { tally.acknowledgedTooLate &+= 1 }
            }
            return loop.handle(.acknowledged)
        case .publish(let outputs): live.publish(outputs)
        case .refuse(let error): warn(error)
        }
        return []
    }

    private mutating func setAside(_ devices: [DeviceID]) async throws {
        let (store, now) = (store, clock.microseconds)
        for device in devices {
            logger.error(
                "a device's state is damaged and was set aside: it is counted anew", metadata: ["device": "\(device)"])
            try await untilWritten { try await store.setAside(device, nowMicroseconds: now) }
        }
    }

    /// Waits until what is being stored is stored; what else comes is held meanwhile.
    private mutating func awaitStored() async throws -> [CounterLoop.Effect] {
        for await event in events.stream {
            switch event {
            case .stored(let result): return try await finishStoring(result)
            case .tick:
                events.tickTaken()
                await publishHealthWhenDue(clock.microseconds)
            case .batches, .finished: held.append(event)
            }
        }
        throw CancellationError()
    }

    private mutating func finishStoring(
        _ result: Result<[ClaimOutcome], any Error>
    ) async throws -> [CounterLoop.Effect] {
        let outcomes = try result.get()
        guard let storing else { return [] }
        self.storing = nil
        // A file that cannot be deleted now is deleted after a later commit.
        do { try await log.trim(through: storing.through) } catch {
            tally.commitFailures &+= 1
            logger.warning("a file of the log was not deleted", metadata: ["reason": "\(error)"])
        }
        if storing.hasRows { await outbox.noteRows() }
        return loop.handle(.stored(outcomes))
    }

    /// Works with the files until it succeeds. As long as it fails nothing is acknowledged, so nothing more is read.
    mutating func untilWritten<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withRetry(
            backoff: StoreWriter.backoff, stopSeconds: Double(configuration.limits.stopSeconds),
            until: { error in
                guard (error as? CounterError)?.isTransient == true else { return true }
                tally.commitFailures &+= 1
                logger.error("nothing is read until the disk works again", metadata: ["reason": "\(error)"])
                await publishHealth(clock.microseconds)
                return false
            }, body)
    }
}

/// The input of the worker, in the order of time.
enum WorkerInput: Sendable {
    /// Messages came, for `takeBatches`.
    case batches
    /// Time has passed.
    case tick
    /// The commit that the worker handed over is stored, or cannot be.
    case stored(Result<[ClaimOutcome], any Error>)
    /// The reading has ended, in order or with an error.
    case finished((any Error)?)
}

/// Brings batches and ticks into one line for the worker. There is never more than one batch of a consumer in it, because
/// that reads no further before it is acknowledged, and never more than one tick. Batches that came meanwhile are taken
/// together: a sync of the log costs the same for one and for many.
final class WorkerInputs: Sendable {
    /// A batch, with the partition of the session that it came over; `nil` for the counter's own session.
    typealias Batch = (partition: Partition?, batch: MQTTBatch)

    let stream: AsyncStream<WorkerInput>
    private let continuation: AsyncStream<WorkerInput>.Continuation
    private let hasTick = Atomic(false)
    private let waiting = Mutex<(batches: [Batch], withdrawn: Set<Partition>)>(([], []))

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    /// Reads until the consumer ends; `subscribed` is called whenever a connection's subscriptions are in force.
    ///
    /// - Parameter partition: The partition that the consumer reads; its end is not that of the reading.
    func read(_ consumer: MQTTConsumer, of partition: Partition? = nil, subscribed: () -> Void) async {
        do {
            for try await batch in consumer.batches {
                if batch.connection != nil { subscribed() }
                let isFirst = waiting.withLock { waiting in
                    if let partition, waiting.withdrawn.contains(partition) { return false }
                    waiting.batches.append((partition, batch))
                    return waiting.batches.count == 1
                }
                if isFirst { continuation.yield(.batches) }
            }
            if partition == nil { continuation.yield(.finished(nil)) }
        } catch {
            continuation.yield(.finished(error))
        }
    }

    /// What has come since it was last asked.
    func takeBatches() -> [Batch] {
        waiting.withLock { waiting in
            defer { waiting.batches = [] }
            return waiting.batches
        }
    }

    /// Takes no more of a partition, and gives what waits of it back to the broker.
    func withdraw(_ partition: Partition) {
        // Released outside of the lock: a batch that goes unacknowledged tells its connection.
        _ = waiting.withLock { waiting in
            waiting.withdrawn.insert(partition)
            defer { waiting.batches.removeAll { $0.partition == partition } }
            return waiting.batches
        }
    }

    /// Takes what comes of a partition.
    func admit(_ partition: Partition) {
        waiting.withLock { _ = $0.withdrawn.remove(partition) }
    }

    /// Ticks until it is cancelled.
    func tick(everyMilliseconds milliseconds: Int) async {
        while (try? await Task.sleep(for: .milliseconds(milliseconds))) != nil {
            if !hasTick.exchange(true, ordering: .relaxed) { continuation.yield(.tick) }
        }
    }

    /// A commit has ended.
    func stored(_ result: Result<[ClaimOutcome], any Error>) {
        continuation.yield(.stored(result))
    }

    func tickTaken() {
        hasTick.store(false, ordering: .relaxed)
    }
}
