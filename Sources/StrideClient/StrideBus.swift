public import MQTT
import Synchronization
public import Wire

/// A connection to the bus for requests: it sends them and waits for their answers.
///
/// Requests go out with an MQTT 5 Response Topic and Correlation Data and carry `reply_to` and `transaction` as well,
/// so that they are understood over 3.1.1 too.
public final class StrideBus: Sendable {
    /// The most requests that may wait for an answer at once.
    public static let maximumPendingRequests = 1_000
    /// The default time to wait for an answer, in seconds.
    public static let usualTimeoutSeconds = 5.0

    package let topics: TopicTree
    let producer: MQTTProducer
    let consumer: MQTTConsumer
    let listeners = TopicListeners()
    let replyPath: String
    /// The leases that have not been ended, by the path of their notices.
    let leases = Mutex<[String: DeviceID]>([:])
    private let pending = PendingReplies(limit: StrideBus.maximumPendingRequests)
    private let version: MQTTVersion
    private let timeoutSeconds: Double
    private let key: RequestKey?
    private let reading: Task<Void, Never>

    /// Opens the two connections; they are made in the background and kept up until `close()`.
    ///
    /// - Parameters:
    ///   - endpoint: the broker.
    ///   - root: the first levels of every topic.
    ///   - version: of MQTT.
    ///   - name: the client id, `[a-z0-9-]`; a random one where it is nil.
    ///   - timeoutSeconds: how long to wait for an answer, or for each page of a long one.
    ///   - key: goes with every request, for a history that protects some; it is shown nowhere.
    /// - Throws: `WireError` for a root or a key that cannot be one.
    public init(
        endpoint: MQTTEndpoint, root: String = "stride", version: MQTTVersion = .v5, name: String? = nil,
        timeoutSeconds: Double = StrideBus.usualTimeoutSeconds, key: String? = nil
    ) throws {
        let topics = try TopicTree(root: root)
        let name = name ?? "stride-client-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        self.topics = topics
        self.version = version
        self.timeoutSeconds = timeoutSeconds
        self.key = try key.map { text throws(WireError) in try RequestKey(text) }
        replyPath = name
        producer = MQTTProducer(
            configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: name, version: version))
        consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(
                endpoint: endpoint, clientID: "\(name)-replies", version: version),
            subscriptions: [
                MQTTSubscription(topics.text(.reply(name))), MQTTSubscription(topics.text(.reply(name)) + "/live/+"),
            ])
        let (batches, pending, listeners) = (consumer.batches, pending, listeners)
        reading = Task { await Self.read(batches, into: pending, listeners) }
    }

    /// The state of the connection that answers come over.
    public var connectionStates: AsyncStream<MQTTConnectionState> { consumer.events }

    /// Asks and waits for the answer.
    ///
    /// - Returns: the `data` of the answer, a JSON object.
    /// - Throws: `StrideClientError`.
    package func ask(_ request: HistoryRequest) async throws -> [UInt8] {
        try await ask(request, path: replyPath)
    }

    /// Asks and waits for the answer on a reply path of this client's own.
    func ask(_ request: HistoryRequest, path: String) async throws -> [UInt8] {
        let transaction = String(UInt64.random(in: .min ... .max), radix: 36)
        let publication = publication(of: request, path: path, transaction: transaction)
        let deadline = Task { [pending, consumer, timeoutSeconds] in
            try await Task.sleep(for: .seconds(timeoutSeconds))
            if case .disconnected(let error) = consumer.connectionState {
                pending.answer(transaction, .failure(.connection(error)))
            } else {
                pending.answer(transaction, .failure(.noReply(seconds: timeoutSeconds)))
            }
        }
        defer { deadline.cancel() }
        return try await pending.wait(for: transaction) { [producer, pending, timeoutSeconds] in
            Task {
                do { try await Self.send(publication, by: producer, forSeconds: timeoutSeconds) } catch {
                    pending.answer(transaction, .failure(Self.connectionError(error)))
                }
            }
        }
    }

    /// The time between two attempts to send a request without a reader, in milliseconds.
    static let unreadMilliseconds = 200

    /// Sends a request, and again for a while where the broker says that it has no reader yet: a history that starts
    /// will.
    private static func send(
        _ publication: MQTTPublication, by producer: MQTTProducer, forSeconds seconds: Double
    ) async throws {
        var publication = publication
        publication.needsSubscriber = true
        let deadline = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < deadline {
            do {
                return try await producer.publish(publication)
            } catch let error as MQTTError where error.code == .noSubscribers {
                try await Task.sleep(for: .milliseconds(unreadMilliseconds))
            }
        }
    }

    /// Ends both connections, and before them the leases on notices; questions that still wait end with
    /// `StrideClientError.closed`.
    public func close() async {
        endLeases()
        pending.end(.closed)
        listeners.end()
        consumer.stop()
        await producer.stop()
        await reading.value
        await consumer.waitUntilStopped()
    }

    /// A request whose answer is to come to a reply path of this client's own.
    func publication(of request: HistoryRequest, path: String, transaction: String) -> MQTTPublication {
        var request = request
        request.transaction = Transaction(transaction)
        request.replyTo = topics.text(.reply(path))
        request.key = request.key ?? key
        let properties = MQTTProperties(responseTopic: request.replyTo, correlationData: Array(transaction.utf8))
        return MQTTPublication(
            topic: topics.bytes(.request(request.verb)), payload: request.encodedJSON(),
            properties: version == .v5 ? properties : nil)
    }

    private static func read(
        _ batches: MQTTBatches, into pending: PendingReplies, _ listeners: TopicListeners
    ) async {
        defer { listeners.end() }
        do {
            for try await batch in batches {
                // The first batch of a connection comes when its subscriptions are in force.
                if batch.connection != nil { pending.hear() }
                for message in batch {
                    listeners.deliver(message.payload, on: String(decoding: message.topic, as: UTF8.self))
                    deliver(message.payload, to: pending)
                }
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
        // A notice has the transaction of its lease, and may come before the answer that says there is one.
        case .ok(.some(.text), let data) where (try? LiveNotice(json: data)) != nil: return
        case .ok(.some(.text(let transaction)), let data): pending.answer(transaction, .success(data))
        case .error(.some(.text(let transaction)), let error): pending.answer(transaction, .failure(.refused(error)))
        default: return
        }
    }

    private static func connectionError(_ error: any Error) -> StrideClientError {
        (error as? MQTTError).map { .connection($0) } ?? .closed
    }
}

/// Why a question got no answer.
public enum StrideClientError: Error, Sendable, CustomStringConvertible {
    /// History answered that it cannot or will not.
    case refused(ReplyError)
    /// No answer came in time.
    case noReply(seconds: Double)
    /// The answer is not one that this version understands.
    case unreadableReply(WireError)
    /// The connection ended for good.
    case connection(MQTTError)
    /// More questions are waiting than `StrideBus.maximumPendingRequests`.
    case tooManyRequests
    /// The bus was closed.
    case closed

    /// One line that says what is wrong and what to do.
    public var description: String {
        switch self {
        case .refused(let error): error.message
        case .noReply(let seconds):
            "no answer within \(seconds) s: is the history service running on this broker and below this root?"
        case .unreadableReply(let error): "the answer cannot be read (\(error.reason)): is history of another version?"
        case .connection(let error): error.message
        case .tooManyRequests: "too many questions at once: wait for an answer before asking more"
        case .closed: "the connection was closed: open a new one"
        }
    }
}
