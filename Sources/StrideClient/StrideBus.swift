public import MQTT
import Synchronization
public import Wire

/// A connection to the bus that sends requests and waits for their answers.
///
/// A user of the broker asks as that user, on `user/{user}/request/{verb}`, and is answered by the user's role; without a
/// user, or with a name outside the alphabet of devices, requests go the operators' way, `request/{verb}`.
///
/// Requests have an MQTT 5 Response Topic and Correlation Data, and `reply_to` and `transaction` in the payload as
/// well, so that they also work with MQTT 3.1.1.
public final class StrideBus: Sendable {
    /// The maximum number of requests that wait for an answer at the same time.
    static let maximumPendingRequests = 1_000
    /// The default time to wait for an answer, in seconds.
    package static let usualTimeoutSeconds = 5.0
    /// The least wait for the answer to a deletion: a year of minutes takes seconds.
    private static let deletionSeconds = 60.0

    package let topics: TopicTree
    let producer: MQTTProducer
    let consumer: MQTTConsumer
    let listeners = Listeners()
    let endpoint: MQTTEndpoint
    private let replyPath: String
    private let pending = PendingReplies(limit: StrideBus.maximumPendingRequests)
    let version: MQTTVersion
    private let timeoutSeconds: Double
    /// The user who asks; nil on the operators' way.
    package let user: DeviceID?
    private let reading: Task<Void, Never>

    /// Starts two connections, for requests and for answers. They are made in the background and kept up until
    /// `close()`. Each stream of what a device tells has another one.
    ///
    /// - Parameters:
    ///   - endpoint: the broker.
    ///   - root: the first levels of every topic.
    ///   - version: the MQTT version.
    ///   - name: the client id, `[a-z0-9-]`; a random one if it is nil.
    ///   - timeoutSeconds: how long to wait for an answer, or for each page of a long one; 5 s if it is nil. What is
    ///     forgotten is waited for a minute at least.
    /// - Throws: `WireError` for an invalid root.
    public init(
        endpoint: MQTTEndpoint, root: String = "stride", version: MQTTVersion = .v5, name: String? = nil,
        timeoutSeconds: Double? = nil
    ) throws {
        let topics = try TopicTree(root: root)
        let name = name ?? "stride-client-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        (self.topics, self.endpoint, self.version) = (topics, endpoint, version)
        self.timeoutSeconds = timeoutSeconds ?? Self.usualTimeoutSeconds
        let user = endpoint.username.flatMap { try? DeviceID($0) }
        self.user = user
        replyPath = name
        let replies = topics.text(Self.reply(name, to: user))
        producer = MQTTProducer(
            configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: name, version: version))
        consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(
                endpoint: endpoint, clientID: "\(name)-replies", version: version),
            subscriptions: [MQTTSubscription(replies)])
        let (batches, pending) = (consumer.batches, pending)
        reading = Task { await Self.read(batches, into: pending) }
    }

    /// The current state of the connection for answers, and every later change.
    public var connectionStates: AsyncStream<MQTTConnectionState> { consumer.events }

    /// Sends a request and waits for the answer.
    ///
    /// - Returns: the `data` of the answer, a JSON object.
    /// - Throws: `StrideClientError`.
    package func ask(_ request: HistoryRequest) async throws -> [UInt8] {
        let transaction = String(UInt64.random(in: .min ... .max), radix: 36)
        let publication = publication(of: request, transaction: transaction)
        guard publication.payload.count <= HistoryRequest.maximumBytes else {
            throw StrideClientError.refused(
                ReplyError(
                    code: .badRequest, message: "the request is larger than \(HistoryRequest.maximumBytes) bytes"))
        }
        let isDeletion = [.peopleForget, .devicesForget].contains(request.verb)
        let deadline = Task { [pending, consumer, endpoint, timeoutSeconds] in
            try await Task.sleep(for: .seconds(timeoutSeconds))
            var seconds = timeoutSeconds
            if isDeletion, seconds < Self.deletionSeconds, case .connected = consumer.connectionState {
                try await Task.sleep(for: .seconds(Self.deletionSeconds - seconds))
                seconds = Self.deletionSeconds
            }
            let failure: StrideClientError =
                switch consumer.connectionState {
                case .disconnected(let error): .connection(error)
                case .connecting:
                    .connection(MQTTError(.connectTimeout, "\(endpoint) does not answer: is it an MQTT broker?"))
                default: .noReply(seconds: seconds)
                }
            pending.answer(transaction, .failure(failure))
        }
        defer { deadline.cancel() }
        return try await pending.wait(for: transaction) {
            Task { [producer, consumer, pending, timeoutSeconds] in
                await Self.waitUntilSubscribed(consumer)
                guard pending.isAwaited(transaction) else { return }
                do {
                    if try await Self.send(publication, by: producer, forSeconds: timeoutSeconds) { return }
                    pending.answer(transaction, .failure(.noReply(seconds: timeoutSeconds)))
                } catch {
                    pending.answer(transaction, .failure(Self.connectionError(error)))
                }
            }
        }
    }

    /// Returns when the subscription to answers is in force, or never will be.
    private static func waitUntilSubscribed(_ consumer: MQTTConsumer) async {
        if case .connected = consumer.connectionState { return }
        for await case .connected in consumer.events { return }
    }

    /// The wait before a request without a subscriber is sent again, in milliseconds.
    static let unreadMilliseconds = 200

    /// Sends a request. It is sent again while the broker reports no subscriber, because history may be starting; false
    /// where there was none.
    private static func send(
        _ publication: MQTTPublication, by producer: MQTTProducer, forSeconds seconds: Double
    ) async throws -> Bool {
        var publication = publication
        publication.needsSubscriber = true
        let deadline = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < deadline {
            do {
                try await producer.publish(publication)
                return true
            } catch let error as MQTTError where error.code == .noSubscribers {
                try await Task.sleep(for: .milliseconds(unreadMilliseconds))
            }
        }
        return false
    }

    /// Ends all connections. Requests that still wait throw `StrideClientError.closed`.
    public func close() async {
        pending.end(.closed)
        consumer.stop()
        await listeners.end()
        await producer.stop()
        await reading.value
        await consumer.waitUntilStopped()
    }

    /// Whether the same request may be answered later: history does not answer now, is busy, or the connection is being
    /// made again.
    func mayPass(_ error: StrideClientError) -> Bool {
        switch error {
        case .noReply, .tooManyRequests: true
        case .refused(let refusal): [.tooBusy, .internal].contains(refusal.code)
        case .unreadableReply, .closed: false
        case .connection:
            switch (consumer.connectionState, producer.connectionState) {
            case (.failed, _), (.stopped, _), (_, .failed), (_, .stopped): false
            default: true
            }
        }
    }

    private static func reply(_ path: String, to user: DeviceID?) -> Topic {
        user.map { .userReply($0, path) } ?? .reply(path)
    }

    private func publication(of request: HistoryRequest, transaction: String) -> MQTTPublication {
        var request = request
        request.transaction = .string(transaction)
        request.replyTo = topics.text(Self.reply(replyPath, to: user))
        let topic = user.map { Topic.userRequest($0, request.verb) } ?? .request(request.verb)
        let properties = MQTTProperties(responseTopic: request.replyTo, correlationData: Array(transaction.utf8))
        return MQTTPublication(
            topic: topics.bytes(topic), payload: request.encodedJSON(),
            properties: version == .v5 ? properties : nil)
    }

    private static func read(_ batches: MQTTBatches, into pending: PendingReplies) async {
        do {
            for try await batch in batches {
                for message in batch { deliver(message.payload, to: pending) }
                batch.acknowledge()
            }
            pending.end(.closed)
        } catch {
            pending.end(connectionError(error))
        }
    }

    private static func deliver(_ payload: UnsafeRawBufferPointer, to pending: PendingReplies) {
        guard let reply = try? HistoryReply(json: payload) else { return }
        switch reply {
        case .ok(.some(.string(let transaction)), let data): pending.answer(transaction, .success(data))
        case .error(.some(.string(let transaction)), let error): pending.answer(transaction, .failure(.refused(error)))
        default: return
        }
    }

    private static func connectionError(_ error: any Error) -> StrideClientError {
        (error as? MQTTError).map { .connection($0) } ?? .closed
    }
}

/// The reason why a request has no usable answer.
public enum StrideClientError: Error, Sendable, CustomStringConvertible {
    /// History refused the request.
    case refused(ReplyError)
    /// No answer came in time.
    case noReply(seconds: Double)
    /// The answer cannot be read by this version.
    case unreadableReply(WireError)
    /// The connection ended for good.
    case connection(MQTTError)
    /// More than 1,000 requests wait for an answer.
    case tooManyRequests
    /// The bus was closed.
    case closed

    /// One line: the problem and its remedy.
    public var description: String {
        switch self {
        case .refused(let error): error.message
        case .noReply(let seconds):
            "no answer within \(seconds) s: is the history service running on this broker and below this root, and may this "
                + "user ask there?"
        case .unreadableReply(let error): "the answer cannot be read (\(error.reason)): is history of another version?"
        case .connection(let error): error.message
        case .tooManyRequests: "too many questions at once: wait for an answer before asking more"
        case .closed: "the connection was closed: open a new one"
        }
    }
}
