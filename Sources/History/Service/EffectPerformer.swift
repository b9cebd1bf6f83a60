import Logging
import MQTT
import ServiceKit
import Wire

/// Does what the pipeline has decided: keeps changes, answers from the store, and publishes. The end of each effect is
/// an event.
struct EffectPerformer: Sendable {
    private static let devicesAPage = 500
    /// The time between two rounds that delete old minutes, in seconds.
    private static let compactionSeconds = 3600
    /// The pause after each transaction of such a round, in milliseconds.
    private static let compactionPauseMilliseconds = 10

    private let configuration: HistoryConfiguration
    private let store: HistoryStore
    private let answers: HistoryAnswers
    private let connection: ServiceConnection
    private let now: @Sendable () -> Double
    private let logger: Logger
    private let send: @Sendable (HistoryEvent) -> Void

    private var producer: MQTTProducer { connection.producer }
    private var topics: TopicTree { configuration.bus.topics }

    init(
        configuration: HistoryConfiguration, store: HistoryStore, connection: ServiceConnection,
        now: @escaping @Sendable () -> Double, logger: Logger, send: @escaping @Sendable (HistoryEvent) -> Void
    ) {
        self.configuration = configuration
        self.store = store
        answers = HistoryAnswers(store: store)
        self.connection = connection
        self.now = now
        self.logger = logger
        self.send = send
    }

    /// Performs an effect, and returns when it has ended.
    /// - Throws: What patience does not mend: history ends.
    func perform(_ effect: HistoryEffect) async throws {
        switch effect {
        case .acknowledge: break
        case .readCursors:
            do { send(.cursorsRead(try await store.cursors())) } catch {
                // The next connection to the database is another chance, and what is missing shows as a gap.
                logger.warning("the positions of the counters cannot be read", metadata: ["error": "\(error)"])
            }
        case .commit(let changes): try await commit(changes)
        case .announce: connection.announceReading()
        case .sayStatus(let owns): connection.say(owns: owns)
        case .report(let health): connection.offer(health)
        case .resend(let request):
            let message = MQTTPublication(topic: topics.bytes(.resend), payload: request.encoded())
            do { try await producer.publish(message) } catch { send(.resendFailed) }
        case .answer(let request, let health, let names):
            guard case .success(let question) = request.request else { return }
            var answers = answers
            answers.isOver = { [now] in now() > request.deadlineSeconds }
            answers.deviceHealth = health
            answers.deviceNames = names
            let answer = await answers.answer(question, from: request.requester, nowSeconds: now())
            var answered = request
            if let user = request.requester.user, [.peopleCheckin, .peopleCheckout].contains(question.verb) {
                answered.isByMember = (try? await store.role(of: user))?.role == .member
            }
            send(.answered(answered, answer))
        case .reply(let reply, let requester): await publish([publication(reply, to: requester)])
        case .configure(let device, let config, let reply, let requester):
            await publish([publication(await retain(config, of: device, thenReply: reply), to: requester)])
        case .offer(let reply, let requester): producer.offer(publication(reply, to: requester))
        case .count(let leases): await count(leases)
        case .notify(let notices):
            for notice in notices {
                producer.offer(publication(notice.payload, to: notice.topic, notice.correlationData))
            }
        case .readRetained(let connection, let health): await readRetained(connection, mark: health)
        case .publishTotals(let publication): await publishTotals(publication)
        case .log(let entry): log(entry)
        case .publishAudit(let report):
            let message = MQTTPublication(topic: topics.bytes(.audit), payload: report.encodedJSON(), retain: true)
            do { try await producer.publish(message) } catch { send(.auditFailed) }
        case .retain(let messages):
            let publications = messages.map { MQTTPublication(topic: $0.topic, payload: $0.payload, retain: true) }
            do { try await producer.publish(publications) } catch { send(.retainedMayBeOld) }
        case .recallEverything: await recallEverything()
        case .sendErasures: await sendErasures()
        }
    }

    /// A line of the audit on the log.
    private func log(_ entry: AuditEntry) {
        logger.notice(
            "\(entry.did): \(entry.outcome)",
            metadata: ["who": "\(entry.who ?? "operator")", "about": "\(entry.about ?? "")"])
    }

    /// Tries until it is done: the batch stays with the broker meanwhile and nothing more is read, so a full disk costs
    /// no memory. Only what patience does not mend is thrown, and at a shutdown the batch is left to the broker.
    ///
    /// A database that is there and refuses again and again refuses something in the batch: that alone is left out.
    private func commit(_ changes: HistoryChanges) async throws {
        let backoff = MQTTBackoff(minimumSeconds: 0.1, maximumSeconds: 5)
        var refusals = 0
        let outcome = try await withRetry(backoff: backoff) { error in
            send(.commitFailed)
            guard let error = error as? HistoryError, error.isTransient else { return true }
            if case .database = error { refusals += 1 } else { refusals = 0 }
            logger.error("a commit failed and is tried again", metadata: ["error": "\(error)"])
            return false
        } _: {
            let nowSeconds = Int64(clampingSeconds: now())
            guard refusals >= Self.refusalsOfAll else { return try await store.commit(changes, nowSeconds: nowSeconds) }
            return try await store.commitInParts(changes, nowSeconds: nowSeconds) { part, error in
                logger.error(
                    "left out, because the store refuses it", metadata: ["what": "\(part)", "error": "\(error)"])
            }
        }
        send(.committed(outcome))
    }

    /// So often a whole batch is tried that the database refuses.
    private static let refusalsOfAll = 3

    /// Retains the config of a device; answers the reply, or that the broker did not take the config.
    private func retain(_ config: [UInt8], of device: DeviceID, thenReply reply: HistoryReply) async -> HistoryReply {
        let topic = Topic.device(device, .config)
        do {
            try await producer.publish(MQTTPublication(topic: topics.bytes(topic), payload: config, retain: true))
            return reply
        } catch {
            guard case .ok(let transaction, _) = reply else { return reply }
            let message = "the broker did not take the config: allow history's user to write \(topics.text(topic))"
            return .error(transaction: transaction, ReplyError(code: .notAvailable, message: message))
        }
    }

    /// Publishes messages in order; the last is the reply to a request.
    private func publish(_ messages: [MQTTPublication]) async {
        do {
            for message in messages { try await producer.publish(message) }
            send(.replied(isPublished: true))
        } catch {
            logger.debug("an answer could not be published", metadata: ["error": "\(error)"])
            send(.replied(isPublished: false))
        }
    }

    private func publication(_ reply: HistoryReply, to requester: Requester) -> MQTTPublication {
        publication(reply.encodedJSON(), to: requester.address.topic, requester.correlationData)
    }

    private func publication(_ payload: [UInt8], to topic: [UInt8], _ correlationData: [UInt8]?) -> MQTTPublication {
        MQTTPublication(
            topic: topic, payload: payload, properties: correlationData.map { MQTTProperties(correlationData: $0) })
    }

    private func count(_ leases: [LiveLease]) async {
        let start = ContinuousClock.now
        var all: [LeaseProgress] = []
        for lease in leases {
            guard let (counted, today) = try? await answers.progress(of: lease, nowSeconds: now()) else { continue }
            all.append(LeaseProgress(lease: lease, counted: counted, today: today))
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        send(.leasesCounted(all, seconds: seconds))
    }

    private func readRetained(_ connection: UInt64, mark health: ServiceHealth) async {
        let reader = RetainedReader(
            connection: connection, configuration: configuration, producer: producer, logger: logger)
        let send = send
        if await reader.run(mark: health, { send(.retained($0)) }) { send(.retainedRead(connection)) }
    }

    /// Publishes totals over the connection that they were decided for. Over a later one they may be out of date,
    /// because another history may have published meanwhile.
    private func publishTotals(_ publication: TotalsPublication) async {
        do {
            let totals = try await store.totalsMessages(
                of: publication.devices, above: publication.floors, nowMinute: Int64(clampingSeconds: now()) / 60,
                topics: topics)
            try await producer.publish(
                totals.values.flatMap(\.messages).map {
                    MQTTPublication(topic: $0.topic, payload: $0.payload, retain: true)
                }, overConnection: publication.connection)
            send(
                .totalsPublished(
                    TotalsOutcome(
                        dayEndMinutes: totals.mapValues(\.dayEndMinute),
                        held: Set(totals.filter(\.value.isHeld).keys), connection: publication.connection)))
            send(.described(totals.mapValues(\.kind)))
        } catch {
            logger.debug("totals are published later", metadata: ["error": "\(error)"])
            let isOver = producer.connectionNumber != publication.connection
            send(.totalsFailed(publication.devices, endedConnection: isOver ? publication.connection : nil))
        }
    }

    /// Names every device, so that its retained totals are published again.
    func recallEverything() async {
        send(.retainedMayBeOld)
        var last: DeviceID?
        do throws(HistoryError) {
            repeat {
                let page = try await store.devices(after: last, limit: Self.devicesAPage)
                send(.recalled(page.map(\.device)))
                last = page.count == Self.devicesAPage ? page.last?.device : nil
            } while last != nil
        } catch {
            logger.warning("retained totals may be old until they change", metadata: ["error": "\(error)"])
        }
    }

    /// Finishes the erasures that were begun, perhaps by a process before this one, and sends them to the counters. A
    /// counter erases in one transaction and sends its rows, which are empty then.
    func sendErasures() async {
        var sent = 0
        do {
            while case let erasures = try await store.unsentErasures(), !erasures.isEmpty {
                for erasure in erasures {
                    _ = try await store.carryOut(erasure, isResumed: true)
                    let topic = topics.bytes(.forget(Partition(of: erasure.device)))
                    try await producer.publish(MQTTPublication(topic: topic, payload: erasure.command.encoded()))
                    try await store.noteSent(erasure)
                    send(.recalled([erasure.device]))
                    sent += 1
                }
            }
            send(.erasuresSent(sent, areLeft: false))
        } catch {
            logger.debug("the erasures are sent to the counters later", metadata: ["error": "\(error)"])
            send(.erasuresSent(sent, areLeft: true))
        }
    }

    /// Keeps days of old minutes, in a round an hour, until it is cancelled.
    func compactOldMinutes() async {
        repeat {
            do throws(HistoryError) {
                let report = try await HistoryPruning(configuration, nowSeconds: now()).run(
                    on: store, isDryRun: false, pauseMilliseconds: Self.compactionPauseMilliseconds
                ) { _, minutes in send(.compacted(minutes: minutes, months: 0)) }
                send(.compacted(minutes: 0, months: report.months))
            } catch {
                logger.warning("old minutes are deleted later", metadata: ["error": "\(error)"])
            }
        } while (try? await Task.sleep(for: .seconds(Self.compactionSeconds))) != nil
    }
}
