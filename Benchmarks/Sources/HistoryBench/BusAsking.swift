import Seeded
import PrivateBroker
import ServiceKit
import History
import Logging
import MQTT
import ServiceLifecycle
import Synchronization
import Wire

/// Asks for months of days over a bus at a steady rate, whether or not answers come, while rows come in.
struct BusAsking: Sendable {
    let load: LoadOptions
    let rateHz: Int
    let seconds: Int
    let meanwhileHz: Int
    /// How many devices send frames meanwhile, through an ingest and a counter.
    let gymDevices: Int

    private struct Tally {
        var frames = FrameGauge()
        var sent: [Int64: ContinuousClock.Instant] = [:]
        /// Of requests during the first seconds, and of those after.
        var milliseconds: [Bool: [Double]] = [:]
        var start = ContinuousClock.now
        var errors = 0
    }

    /// How often rows are sent, a second.
    private static let roundsASecond = 100
    /// How long after its start history publishes the retained totals of every device, at most, in seconds: answers of
    /// that time are told apart.
    private static let startSeconds = 10

    /// Runs the service over a private broker and asks; lines for a person.
    func run(on store: HistoryStore) async throws -> [String] {
        let broker = try await EmbeddedBroker.start()
        let endpoint = try MQTTEndpoint(broker.url)
        let topics = try TopicTree()
        var logger = Logger(label: "historybench")
        logger.logLevel = .error
        let service = HistoryService(
            configuration: HistoryConfiguration(
                bus: BusSettings(endpoint: endpoint, topics: topics), dataDirectory: ""),
            store: store, logger: logger)
        let group = ServiceGroup(services: [service], logger: logger)
        let running = Task { try await group.run() }
        let lines = try await askBesideGym(endpoint, topics)
        await group.triggerGracefulShutdown()
        try await running.value
        await broker.stop()
        return lines
    }

    private func askBesideGym(_ endpoint: MQTTEndpoint, _ topics: TopicTree) async throws -> [String] {
        let gym = gymDevices > 0 ? try TrainingGym(devices: gymDevices, broker: "\(endpoint)") : nil
        defer { gym?.end() }
        return try await ask(endpoint, topics)
    }

    private func ask(_ endpoint: MQTTEndpoint, _ topics: TopicTree) async throws -> [String] {
        let consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: "asker"),
            subscriptions: [
                MQTTSubscription("\(topics.root)/reply/bench"), MQTTSubscription(topics.text(.serviceStatus(.history))),
                MQTTSubscription(topics.text(.serviceHealth(.ingest))),
            ])
        let producer = MQTTProducer(
            configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: "sender"))
        let tally = Mutex(Tally())
        let (ready, isReady) = AsyncStream<Bool>.makeStream()
        let hearing = Task {
            var isOnline = false
            for try await batch in consumer.batches {
                for message in batch {
                    if message.payload.elementsEqual("online".utf8) {
                        isOnline = true
                    } else {
                        hear(message, topics, tally)
                    }
                }
                if isOnline, gymDevices == 0 || tally.withLock({ $0.frames.hasBegun }) { isReady.yield(true) }
                batch.acknowledge()
            }
        }
        let patience = Task {
            try await Task.sleep(for: .seconds(TrainingGym.patienceSeconds))
            isReady.yield(false)
        }
        for await works in ready {
            guard works else { throw TrainingGym.Absence.noFrames }
            break
        }
        patience.cancel()
        let counting = Task { try await count(producer, topics) }
        await send(producer, topics, tally)
        // The last answers are on their way.
        try await Task.sleep(for: .seconds(1))
        try await counting.value
        consumer.stop()
        try await hearing.value
        await producer.stop()
        return tally.withLock { summary($0) }
    }

    private func send(_ producer: MQTTProducer, _ topics: TopicTree, _ tally: borrowing Mutex<Tally>) async {
        var random = SeededGenerator(seed: load.seed &+ 2)
        let start = ContinuousClock.now
        tally.withLock { $0.start = start }
        for number in 1...Int64(rateHz * (Self.startSeconds + seconds)) {
            try? await Task.sleep(until: start + .microseconds(number * 1_000_000 / Int64(rateHz)))
            let device = random.next() % UInt64(load.devices)
            let payload = """
                {"device":"device-\(device)","from":"2026-10-01","to":"2026-11-01","transaction":\(number),\
                "reply_to":"\(topics.root)/reply/bench"}
                """
            tally.withLock { $0.sent[number] = .now }
            let isSent = producer.offer(
                MQTTPublication(topic: topics.bytes(.request(.historyDays)), payload: Array(payload.utf8)))
            if !isSent { tally.withLock { $0.errors += 1 } }
        }
    }

    private func count(_ producer: MQTTProducer, _ topics: TopicTree) async throws {
        guard meanwhileHz > 0 else { return }
        var random = SeededGenerator(seed: load.seed &+ 3)
        let start = ContinuousClock.now
        for round in 1...Self.roundsASecond * (Self.startSeconds + seconds) {
            let rows = meanwhileHz * round / Self.roundsASecond - meanwhileHz * (round - 1) / Self.roundsASecond
            let device = try load.device(Int(random.next() % UInt64(load.devices)))
            var batch = CountsBatch(
                epoch: 2, previousRevision: 0, lastRevision: UInt64(round), rows: [])
            let first = LoadOptions.nowSeconds / 60 - Int64(round % 1000)
            for minute in 0..<Int64(rows) {
                var row = MinuteRow.drawn(device, first - minute, revision: UInt64(round), &random)
                row.epoch = 2
                batch.rows.append(row)
            }
            try await producer.publish(
                MQTTPublication(topic: topics.bytes(.counts(Partition(of: device))), payload: batch.encoded()))
            try? await Task.sleep(until: start + .milliseconds(round * 1000 / Self.roundsASecond))
        }
    }

    private func hear(_ message: MQTTMessage, _ topics: TopicTree, _ tally: borrowing Mutex<Tally>) {
        let now = ContinuousClock.now
        if message.topic.elementsEqual(topics.bytes(.serviceHealth(.ingest))) {
            return tally.withLock { $0.frames.note(message.payload) }
        }
        guard let reply = try? HistoryReply(json: Array(message.payload)) else { return }
        tally.withLock { tally in
            guard case .ok(.integer(let number)?, _) = reply, let sent = tally.sent.removeValue(forKey: number) else {
                tally.errors += 1
                return
            }
            let isEarly = sent - tally.start < .seconds(Self.startSeconds)
            tally.milliseconds[isEarly, default: []].append(sent.duration(to: now) / .milliseconds(1))
        }
    }

    private func summary(_ tally: Tally) -> [String] {
        let beside = "\(meanwhileHz) rows/s and an ingest of \(tally.frames.framesASecond) frames/s"
        let what = "a month of days over the bus at \(rateHz)/s beside \(beside)"
        return [
            "\(what), in the first \(Self.startSeconds) s after a start: \(times(tally.milliseconds[true] ?? []))",
            "\(what), after that: \(times(tally.milliseconds[false] ?? []))",
            "\(tally.errors) errors, \(tally.sent.count) unanswered",
        ]
    }

    private func times(_ milliseconds: [Double]) -> String {
        let sorted = milliseconds.sorted()
        guard let slowest = sorted.last else { return "no answer" }
        let words = [0.5, 0.9, 0.99].map { part in
            let time = sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
            return "p\(Int(part * 100)) \((time * 100).rounded() / 100) ms"
        }
        return words.joined(separator: ", ") + ", at most \(Int(slowest)) ms; \(sorted.count) answered"
    }
}
