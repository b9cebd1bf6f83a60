import Logging
import MQTT
import ServiceKit
import Wire

/// Everything that history publishes: answers, retained totals, the wall, orders to erase, the audit and its health.
///
/// Each has a loop of its own, so that none waits for another at the bus or in the store. What the loops share is here,
/// and changes only between two waits.
actor HistoryPublisher {
    /// The time between two looks around, in milliseconds.
    private static let lookMilliseconds = 200
    /// The time between two reports of health, in seconds.
    private static let healthSeconds = 10.0
    /// The wait for a broker that does not take a request for rows, in seconds.
    private static let askingSeconds = 2.0

    let configuration: HistoryConfiguration
    let store: HistoryStore
    let connection: ServiceConnection
    let now: @Sendable () -> Double
    /// What is read or answered now, and what ended history.
    let inputGuard: InputGuard
    let logger: Logger

    var totals = RetainedTotals()
    /// When the wall was last published, in seconds since 1970; `nil` where rows, check-ins, roles or aliases have changed
    /// since, or the broker may have lost it.
    var wallShownSeconds: Double?
    /// When the class that is retained is published again, in seconds since 1970: at once where a class has begun or ended,
    /// or the broker may have lost the message, and never where there is none.
    var classDueSeconds = -Double.infinity
    /// Whose workouts may have ended.
    var workoutEnds = WorkoutEnds()
    var homeAssistant: HomeAssistantDiscovery?
    var audit = AuditTrail()
    var requests = RequestQueue()
    var costs = RequestCosts()
    var devices = DeviceHealths()
    /// Devices' configs.
    var configs = RetainedPayloads()
    var health = HistoryCounters()
    /// The counters of `HistoryMain`, as it last gave them.
    private var kept = HistoryCounters()
    private var isReading = (counts: false, requests: false)
    private var healthDueSeconds = -Double.infinity
    /// The configs that history has published and the broker has not yet repeated, and the end of that wait, in seconds since 1970.
    var saidConfigs: [DeviceID: (config: [UInt8], endSeconds: Double)] = [:]
    /// The longest wait for the broker to repeat a config, in seconds.
    static let configEchoSeconds = 5.0
    /// The change of a config that is under way, or the last of those that wait for each other.
    var configChange: Task<Void, Never>?

    /// Wakes of the loops. Of those that come while a loop is busy, one is left.
    let totalsDue = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let erasuresDue = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let recallDue = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    private let rowRequests = AsyncStream<CountsResend>.makeStream(bufferingPolicy: .bufferingNewest(1))

    var producer: MQTTProducer { connection.producer }
    var topics: TopicTree { configuration.bus.topics }

    init(
        configuration: HistoryConfiguration, store: HistoryStore, connection: ServiceConnection,
        now: @escaping @Sendable () -> Double, inputGuard: InputGuard, logger: Logger
    ) {
        self.inputGuard = inputGuard
        (self.configuration, self.store, self.connection) = (configuration, store, connection)
        (self.now, self.logger) = (now, logger)
        homeAssistant = configuration.homeAssistantPrefix.map {
            HomeAssistantDiscovery(prefix: $0, topics: configuration.bus.topics)
        }
        if store.openingNote != nil { health[.storesSetAside] += 1 }
    }

    /// Publishes until it is cancelled. Answers are not in it: they end with the reading.
    func run() async {
        recallDue.continuation.yield()
        erasuresDue.continuation.yield()
        await withDiscardingTaskGroup { group in
            group.addTask { await self.lookAround() }
            group.addTask { await self.sendRowRequests() }
            group.addTask { await self.recall() }
            group.addTask { await self.publishTotals() }
            group.addTask { await self.publishWalls() }
            group.addTask { await self.publishWorkoutEnds() }
            group.addTask { await self.sendErasures() }
            group.addTask { await self.keepUp() }
        }
    }

    /// Wakes the loops and reports health, which is the sign of life: so it waits for nobody.
    private func lookAround() async {
        repeat {
            let nowSeconds = now()
            totalsDue.continuation.yield()
            for entry in audit.takeRepeated(nowSeconds: nowSeconds) { tell(entry) }
            if nowSeconds >= healthDueSeconds {
                healthDueSeconds = nowSeconds + Self.healthSeconds
                reportHealth()
            }
        } while (try? await Task.sleep(for: .milliseconds(Self.lookMilliseconds))) != nil
    }

    func reportHealth() { connection.offer(report()) }

    private func report() -> ServiceHealth {
        let nowSeconds = now()
        health[.setAside] = inputGuard.setAsideCount
        return (health + kept).report(nowSeconds: nowSeconds, also: costs.counters(nowSeconds: nowSeconds))
    }

    /// Has the broker retain messages; throws where it does not take them.
    func retain(_ messages: [RetainedMessage]) async throws {
        try await producer.publish(
            messages.map { MQTTPublication(topic: $0.topic, payload: $0.payload, retain: true) })
    }

    /// Retains what there is to be shown now.
    /// - Returns: Whether the broker has it; else it stays due.
    func show(_ topic: Topic, _ payload: () async throws -> [UInt8]) async -> Bool {
        do {
            try await retain([RetainedMessage(topic: topics.bytes(topic), payload: try await payload())])
            return true
        } catch {
            logger.debug("\(topics.text(topic)) is published later", metadata: ["error": "\(error)"])
            health[.publishFailures] += 1
            return false
        }
    }
}

// MARK: - Counts

extension HistoryPublisher {
    /// Asks the counters for rows; a later request takes the place of one that waits.
    nonisolated func askForRows(_ request: CountsResend) { rowRequests.continuation.yield(request) }

    private func sendRowRequests() async {
        for await request in rowRequests.stream {
            let message = MQTTPublication(topic: topics.bytes(.resend), payload: request.encoded())
            while !Task.isCancelled, (try? await producer.publish(message)) == nil {
                health[.publishFailures] += 1
                try? await Task.sleep(for: .seconds(Self.askingSeconds))
            }
        }
    }

    /// Publishes what a commit has changed, soon.
    func noteCommit(_ outcome: CommitOutcome) {
        totals.change(outcome.changedSubjects)
        workoutEnds.noteMovement(of: outcome.movedSubjects, nowSeconds: now())
        workoutEnds.noteEdge(of: outcome.markedSubjects, nowSeconds: now())
        if !outcome.changedSubjects.isEmpty || !outcome.changedRoles.isEmpty { wallShownSeconds = nil }
        for change in outcome.changedRoles { noteDeed(AuditEntry(change, nowSeconds: now())) }
        totalsDue.continuation.yield()
    }

    /// Takes what history has kept, and whether messages of counters are missing.
    func noteKeeping(_ tally: HistoryCounters, isMissing: Bool) {
        kept = tally
        totals.note(isMissing: isMissing, nowSeconds: now())
    }

    func noteFailedCommit() { health[.commitFailures] += 1 }

    /// Both connections read: nothing that is sent to history can be missed any more.
    func noteReading(counts: Bool = false, requests: Bool = false) {
        isReading = (isReading.counts || counts, isReading.requests || requests)
        if isReading.counts && isReading.requests { connection.announceReading() }
    }
}

// MARK: - Audit

extension HistoryPublisher {
    /// Tells what was done, unless it repeats what was told.
    func noteDeed(_ entry: AuditEntry) {
        if let told = audit.note(entry) { tell(told) }
    }

    /// Notes logins that the private broker has refused.
    func noteLogins(refused: UInt64, from addresses: [String]) {
        if let entry = audit.refusedLogins(refused, from: addresses, nowSeconds: now()) { noteDeed(entry) }
    }

    private func tell(_ entry: AuditEntry) {
        logger.notice(
            "\(entry.did): \(entry.outcome)",
            metadata: [
                "who": "\(entry.who ?? entry.addresses?.joined(separator: ", ") ?? "operator")",
                "about": "\(entry.about ?? "")",
                "count": "\(entry.count)",
            ])
        producer.offer(MQTTPublication(topic: topics.bytes(.audit), payload: entry.encodedJSON()))
    }
}
