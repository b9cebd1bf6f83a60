package import MQTT
import Synchronization
import Testing
import Watched
import Wire

/// Hears what is on a test's broker, on a connection of its own, and holds each message against its schema.
package final class BusWatch: Sendable {
    /// What was heard and what was wrong with it.
    package struct Findings: Sendable {
        /// Messages that have a schema, or a word as their payload.
        package internal(set) var checked = 0
        /// What is wrong, with topic and message; the first few.
        package internal(set) var problems: [String] = []
        fileprivate var isListening = false
        fileprivate var isHistoryOnline = false
        /// The message that marks the end was heard.
        fileprivate var hasEnded = false
        /// The listening itself has ended.
        fileprivate var isOver = false
        /// What was asked with each reply topic.
        fileprivate var asked: [Topic: Set<RequestVerb>] = [:]
    }

    /// Whose messages are checked.
    package enum Scope: Sendable {
        /// What stridebus sends: for tests that play devices or askers, and do so badly.
        case sent
        /// What it reads besides: for tests in which every device and asker is ours.
        case everything
    }

    private static let maximumProblems = 10
    private static let end = "contract-watch/end"

    /// The word of this watch's end, which another one on the same broker takes for nothing.
    private let ownEnd = Array("\(UInt64.random(in: .min ... .max))".utf8)
    private let endpoint: MQTTEndpoint
    private let topics: [TopicTree]
    private let scope: Scope
    private let ignoredReplies: String?
    private let findings = Watched(Findings())
    private let task: Mutex<Task<Void, Never>?> = Mutex(nil)

    /// Begins to listen, and returns when everything that comes from now on is heard.
    ///
    /// - Parameters:
    ///   - roots: The roots of the buses on this broker.
    ///   - awaitsHistory: Whether requests are heard only once history is online. Until then a request has no other
    ///     reader than the watch, and the asker would take it for received.
    ///   - ignoredReplies: How the paths of replies begin on which the test's subject writes to itself.
    package static func start(
        _ endpoint: MQTTEndpoint, roots: [String] = ["stride"], scope: Scope = .sent, awaitsHistory: Bool = false,
        ignoredReplies: String? = nil
    ) async throws -> BusWatch {
        let watch = try BusWatch(endpoint, roots: roots, scope: scope, ignoredReplies: ignoredReplies)
        watch.task.withLock { $0 = Task { await watch.listen(awaitsHistory: awaitsHistory) } }
        await watch.findings.wait { $0.isListening || $0.isOver }
        return watch
    }

    private init(_ endpoint: MQTTEndpoint, roots: [String], scope: Scope, ignoredReplies: String?) throws {
        self.endpoint = endpoint
        self.scope = scope
        self.ignoredReplies = ignoredReplies
        topics = try roots.map { root in try TopicTree(root: root) }
    }

    /// The topics of the contract. Whether a topic has a subscriber is what some tests are about, so those of services'
    /// batches, and unless needed those of devices, are left alone.
    private static func filters(_ topics: TopicTree, _ scope: Scope) -> [MQTTSubscription] {
        let channels = DeviceChannel.allCases.filter { scope == .everything || Contract.isSent(on: $0) }
        return channels.map { MQTTSubscription(topics.filter(every: $0)) }
            + ["reply/#", "user/+/reply/#", "user/+/role", "service/+/status", "service/+/health", "service/+/audit"]
            .map {
                MQTTSubscription("\(topics.root)/\($0)")
            }
    }

    private static func requests(_ topics: TopicTree) -> [MQTTSubscription] {
        topics.requestFilters.map { MQTTSubscription($0) }
    }

    /// Ends it, and fails the test if anything was wrong or nothing was heard.
    package func end() async {
        let findings = await findings()
        #expect(findings.problems == [], "messages do not keep to their schemas")
        #expect(findings.hasEnded, "the watch heard nothing")
    }

    /// Ends it, and gives what it found.
    package func findings() async -> Findings {
        let producer = MQTTProducer(
            configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: "contract-watch-end"))
        // Retained, because the watch may be on its way back to a broker that was started anew.
        let end = MQTTPublication(topic: Self.end, payload: ownEnd, retain: true)
        let saying = Task { try? await producer.publish(end) }
        await findings.wait { $0.hasEnded || $0.isOver }
        await producer.stop()
        await saying.value
        let task = task.withLock { $0 }
        task?.cancel()
        await task?.value
        return findings.now
    }

    private func listen(awaitsHistory: Bool) async {
        defer { findings.change { $0.isOver = true } }
        let filters = topics.flatMap { Self.filters($0, scope) } + [MQTTSubscription(Self.end)]
        do {
            if awaitsHistory { try await hear(filters) { $0.isHistoryOnline } }
            try await hear(filters + topics.flatMap(Self.requests)) { _ in false }
        } catch {
            // The broker has gone, or refuses us: then nothing more is heard.
        }
    }

    /// Hears messages until that is enough, or this task is cancelled.
    private func hear(_ subscriptions: [MQTTSubscription], until isEnough: (Findings) -> Bool) async throws {
        let consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: "contract-watch"),
            subscriptions: subscriptions)
        for try await batch in consumer.batches {
            findings.change { findings in
                findings.isListening = true
                for message in batch { take(message, &findings) }
            }
            batch.acknowledge()
            if isEnough(findings.now) { break }
        }
        consumer.stop()
        await consumer.waitUntilStopped()
    }

    private func take(_ message: MQTTMessage, _ findings: inout Findings) {
        guard let topic = topics.lazy.compactMap({ try? $0.parse(message.topic) }).first else {
            if message.topic.elementsEqual(Self.end.utf8), message.payload.elementsEqual(ownEnd) {
                findings.hasEnded = true
            }
            return
        }
        let payload = Array(message.payload)
        if topic == .serviceStatus(.history), message.payload.elementsEqual("online".utf8) {
            findings.isHistoryOnline = true
        }
        switch topic {
        case .request(let verb):
            findings.asked[replyTopic(of: message, payload) ?? .reply(verb.rawValue), default: []].insert(verb)
        case .userRequest(let user, let verb):
            let topic = replyTopic(of: message, payload) ?? .userReply(user, verb.rawValue)
            findings.asked[topic, default: []].insert(verb)
        default: break
        }
        if let ignoredReplies, case .reply(let path) = topic, path.hasPrefix(ignoredReplies) { return }
        findings.checked += 1
        guard findings.problems.count < Self.maximumProblems else { return }
        var problems = Contract.problems(
            ofSent: payload, on: topic, verbs: findings.asked[topic] ?? Set(RequestVerb.allCases))
        if scope == .everything { problems += Contract.problems(ofRead: payload, on: topic) }
        findings.problems += problems.map { "\(String(decoding: message.topic, as: UTF8.self)): \($0)" }
    }

    private func replyTopic(of message: MQTTMessage, _ payload: [UInt8]) -> Topic? {
        if let topic = message.responseTopic { return topics.lazy.compactMap { try? $0.parse(topic) }.first }
        let text = payload.withUnsafeBytes { (try? JSONValue(parsing: $0))?.object?["reply_to"]?.string }
        return text.flatMap { text in topics.lazy.compactMap { try? $0.parse(text) }.first }
    }
}
