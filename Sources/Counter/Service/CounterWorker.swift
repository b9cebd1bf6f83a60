import ServiceKit
import Logging
import MQTT
import ServiceLifecycle
import Wire

/// The counter's one line of work: count a batch, commit, acknowledge, publish.
struct CounterWorker: Sendable {
    /// The waits between attempts to commit, in milliseconds: the first, and the longest.
    static let retryMilliseconds = 50...5_000

    let configuration: CounterConfiguration
    let store: CounterStore
    let outbox: Outbox
    let logger: Logger
    let clock: ServiceClock
    var pipeline: CounterPipeline
    var live: LivePublisher
    var tally = WorkerTally()
    var configs: [StoredConfig] = []
    private var chores = CounterChores()

    init(
        _ configuration: CounterConfiguration, store: CounterStore, outbox: Outbox, producer: MQTTProducer,
        logger: Logger
    ) async throws {
        self.configuration = configuration
        self.store = store
        self.outbox = outbox
        self.logger = logger
        clock = ServiceClock()
        pipeline = CounterPipeline(limits: configuration.limits, knownDevices: try await store.deviceCount())
        live = LivePublisher(topics: configuration.bus.topics, producer: producer)
        try await takeUpRecentDevices()
        pipeline.resume(nowMicroseconds: clock.microseconds)
    }

    /// Works until the reading ends.
    mutating func run(_ events: CounterEvents) async throws {
        for await event in events.stream {
            switch event {
            case .batch(let batch): try await work(on: batch)
            case .tick:
                events.tickTaken()
                try await tick()
            case .finished(let error):
                if let error { throw CounterError.bus(problem: "\(error)") }
                return
            }
        }
    }

    /// Counts and commits a batch, and only then acknowledges and publishes it.
    private mutating func work(on batch: MQTTBatch) async throws {
        if let connection = batch.connection { note(connection) }
        for message in batch { try await take(message) }
        try await commit()
        if batch.acknowledge() { tally.acknowledged &+= 1 } else { tally.acknowledgedTooLate &+= 1 }
        publishLive()
    }

    private mutating func tick() async throws {
        let now = clock.microseconds
        let sleepers = pipeline.devicesToWake(nowMicroseconds: now, atMost: CounterChores.maximumWoken)
        if !sleepers.isEmpty { try await takeUp(sleepers) }
        if chores.wasHeldUp(at: now) {
            pipeline.resume(nowMicroseconds: now)
        } else {
            while !pipeline.tick(nowMicroseconds: now) { try await commit() }
        }
        try await commit()
        publishLive()
        live.retry()
        if chores.isHealthDue(at: now, seconds: configuration.limits.healthSeconds) { await publishHealth(now) }
        if chores.isPruningDue(at: now) { await prune(now) }
    }

    /// Makes durable what changed.
    mutating func commit() async throws {
        let commit = pipeline.takeCommit()
        guard !commit.isEmpty || !configs.isEmpty else { return }
        let (store, configs, clock) = (store, configs, clock)
        try await untilStored {
            try await store.commit(commit, configs: configs, nowMicroseconds: clock.microseconds)
        }
        self.configs.removeAll(keepingCapacity: true)
        tally.commits &+= 1
        tally.rows &+= UInt64(commit.increments.count)
        if !commit.increments.isEmpty { await outbox.noteRows() }
        pipeline.evict()
    }

    /// Works with the store until it succeeds. As long as it fails nothing is acknowledged, so nothing more is read.
    /// Told to stop meanwhile, it tries on for the time that a stop may take.
    mutating func untilStored<Result>(_ body: () async throws -> Result) async throws -> Result {
        var wait = Self.retryMilliseconds.lowerBound
        var stopAt: Int64?
        while true {
            do {
                return try await body()
            } catch let error as CounterError where error.isTransient && !Task.isCancelled {
                tally.commitFailures &+= 1
                logger.error("nothing is read until the store works again", metadata: ["reason": "\(error)"])
                await publishHealth(clock.microseconds)
                let now = clock.microseconds
                if Task.isShuttingDownGracefully, stopAt == nil {
                    stopAt = now + Int64(configuration.limits.stopSeconds) * 1_000_000
                }
                if let stopAt, now >= stopAt { throw error }
            }
            try await Task.sleep(for: .milliseconds(wait))
            wait = min(wait * 2, Self.retryMilliseconds.upperBound)
        }
    }

    mutating func publishLive() {
        live.publish(pipeline.takeLive())
    }

    private mutating func note(_ connection: MQTTSessionInfo) {
        guard !connection.sessionPresent else { return }
        tally.lostSessions &+= 1
        logger.notice("the broker has no messages kept for us from before this connection")
    }
}
