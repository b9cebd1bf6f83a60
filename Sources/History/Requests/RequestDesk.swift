import Logging
import MQTT
import Wire

/// Reads requests and answers them, a few at a time: what comes beyond the queue is told so at once.
struct RequestDesk<Store: HistoryStore>: Sendable {
    let answers: HistoryAnswers<Store>
    let topics: TopicTree
    let producer: MQTTProducer
    let telemetry: HistoryTelemetry
    let presence: Presence
    let now: @Sendable () -> Double
    let logger: Logger

    /// How many requests may wait.
    static var maximumQueued: Int { 256 }
    /// How many are answered at the same time: more than the store has readers, because most of the time of an answer
    /// is that until the broker has it.
    static var maximumConcurrent: Int { 16 }

    /// Answers requests until the consumer is stopped, then those that wait.
    func run(_ batches: MQTTBatches) async throws {
        let (queue, waiting) = AsyncStream.makeStream(
            of: AdmittedRequest.self, bufferingPolicy: .bufferingOldest(Self.maximumQueued))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await answerAll(queue) }
            defer { waiting.finish() }
            for try await batch in batches {
                if batch.connection != nil { presence.requestsSubscribed() }
                for message in batch { admit(message, to: waiting) }
                batch.acknowledge()
            }
        }
    }

    private func admit(_ message: MQTTMessage, to waiting: AsyncStream<AdmittedRequest>.Continuation) {
        let incoming = IncomingRequest(
            topic: message.topic, payload: message.payload, responseTopic: message.responseTopic,
            correlationData: message.correlationData, isRetained: message.isRetained,
            expirySeconds: message.messageExpirySeconds)
        switch incoming.admission(in: topics, nowSeconds: now()) {
        case .answer(let request, let ignoredUnsafe):
            if ignoredUnsafe { telemetry.count(.repliesUnsafe) }
            if case .dropped = waiting.yield(request) { refuse(request) }
        case .retained: telemetry.count(.requestsRetained)
        case .expired: telemetry.count(.requestsExpired)
        case .unsafe:
            telemetry.count(.repliesUnsafe)
            telemetry.count(.requestsDropped)
        case .refused(let reason):
            telemetry.refuse(reason)
            telemetry.count(.requestsDropped)
        }
    }

    /// Says that there is too much to do, without waiting for anything.
    private func refuse(_ request: AdmittedRequest) {
        telemetry.count(.requestsTooBusy)
        producer.offer(publication(.error(transaction: request.transaction, .tooBusy), to: request))
    }

    private func answerAll(_ queue: AsyncStream<AdmittedRequest>) async {
        await withTaskGroup(of: Void.self) { group in
            var running = 0
            for await request in queue {
                if running == Self.maximumConcurrent {
                    await group.next()
                    running -= 1
                }
                group.addTask { await answer(request) }
                running += 1
            }
        }
    }

    private func answer(_ request: AdmittedRequest) async {
        guard now() <= request.deadlineSeconds else { return telemetry.count(.requestsExpired) }
        let reply = await reply(to: request)
        guard now() <= request.deadlineSeconds else { return telemetry.count(.requestsExpired) }
        do {
            try await producer.publish(publication(reply, to: request))
            count(reply)
        } catch {
            telemetry.count(.publishFailures)
            logger.debug("an answer could not be published", metadata: ["error": "\(error)"])
        }
    }

    private func count(_ reply: HistoryReply) {
        switch reply {
        case .ok: telemetry.count(.requestsOK)
        case .error(_, let error):
            telemetry.count(.requestsError)
            if error.code == .notAuthorised { telemetry.count(.requestsNotAuthorised) }
        }
    }

    private func reply(to request: AdmittedRequest) async -> HistoryReply {
        switch request.request {
        case .success(let question):
            await answers.answer(
                question, from: Asker(address: request.address, correlationData: request.correlationData),
                nowSeconds: now())
        case .failure(let error): .error(transaction: request.transaction, error)
        }
    }

    private func publication(_ reply: HistoryReply, to request: AdmittedRequest) -> MQTTPublication {
        MQTTPublication(
            topic: request.address.topic, payload: reply.encodedJSON(),
            properties: request.correlationData.map { MQTTProperties(correlationData: $0) })
    }
}
