import Ingest
import Logging
import Testing
import Wire

/// A bus that gives messages once, and answers publications by a script; after its end it takes everything.
final class ScriptedBus: IngestBus {
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    var nowMicroseconds = Sample.arrival
    var messages: [(topic: String, payload: [UInt8], isRetained: Bool)] = []
    var answers: [MotionRefusal?] = []
    var questions: [String] = []
    var takesQuestions = true
    /// Called between two messages, as another thread may do something then.
    var betweenMessages: () -> Void = {}
    private(set) var offeredBatches = 0
    /// The size of each publication, and 0 for an acknowledgement.
    private(set) var sizes: [Int] = []
    /// The failures before each publication.
    private(set) var failures: [Int] = []

    func next() -> Bool { true }

    func forEachMessage(_ body: (IngestMessage) -> Void) {
        for message in messages {
            Array(message.topic.utf8).withUnsafeBytes { topic in
                message.payload.withUnsafeBytes {
                    body(IngestMessage(topic: topic, payload: $0, isRetained: message.isRetained))
                }
            }
            betweenMessages()
        }
        messages = []
    }

    func publish(_ motion: [MotionMessage], failures: Int) -> MotionRefusal? {
        sizes.append(motion.count)
        self.failures.append(failures)
        return answers.isEmpty ? nil : answers.removeFirst()
    }

    func acknowledge() { sizes.append(0) }
    func offer(_ motion: MotionMessage) -> Bool {
        offeredBatches += 1
        return true
    }
    func ask(topic: String, _ payload: [UInt8]) -> Bool {
        guard takesQuestions else { return false }
        questions.append("\(topic) \(String(decoding: payload, as: UTF8.self))")
        return true
    }
    func report(_ counters: IngestCounters) {}
}

@Suite("When ingest acknowledges")
struct IngestMainTests {
    /// A counter for each partition, so that devices have batches of their own.
    private static let counters = Partition.all.compactMap { PartitionRange("\($0.number)") }

    /// A turn with one frame of each device, whose motion the bus answers by a script.
    private static func turn(
        _ devices: [String], answers: [MotionRefusal?] = []
    ) async throws -> (bus: ScriptedBus, counters: IngestCounters) {
        let (topics, bus) = (try TopicTree(), ScriptedBus())
        bus.answers = answers
        bus.messages = devices.map { ("stride/\($0)/imu", Sample.frame(sequence: 0).encodedJSON(), false) }
        let main = IngestMain(topics: topics, counters: Self.counters, bus: bus, logger: ScriptedBus.logger)
        try await main.turn()
        return (bus, main.counters)
    }

    @Test("A batch is acknowledged when its motion was accepted, and one without motion at once")
    func acknowledged() async throws {
        #expect(try await Self.turn(["a", "b", "c"]).bus.sizes == [3, 0])
        #expect(try await Self.turn([]).bus.sizes == [0])
    }

    @Test("A look around amid messages gives out nothing of them: an offer may be lost, and they are acknowledged")
    func tickAmidMessages() async throws {
        let (topics, bus) = (try TopicTree(), ScriptedBus())
        bus.messages = ["a", "b"].map { ("stride/\($0)/imu", Sample.frame(sequence: 0).encodedJSON(), false) }
        let main = IngestMain(topics: topics, counters: Self.counters, bus: bus, logger: ScriptedBus.logger)
        bus.betweenMessages = { [unowned main] in main.tick() }
        try await main.turn()
        #expect(bus.offeredBatches == 0)
        #expect(bus.sizes == [2, 0])
    }

    @Test("What is refused is published again, after a longer wait each time, and is not acknowledged")
    func refused() async throws {
        let (bus, counters) = try await Self.turn(["a"], answers: Array(repeating: .other, count: 5))
        #expect(bus.failures == [0, 1, 2, 3, 4, 5])
        #expect(bus.sizes == [1, 1, 1, 1, 1, 1, 0])
        #expect(counters.publishRetries == 5)
    }

    @Test("One batch that is too large is dropped and counted, and the others are published")
    func tooLarge() async throws {
        let (bus, counters) = try await Self.turn(["a", "b", "c"], answers: [.tooLarge, nil, .tooLarge, nil])
        #expect(bus.sizes == [3, 1, 1, 1, 0])
        #expect(counters.batchesTooLarge == 1)
    }

    @Test("A range without a counter does not make others be published again and again")
    func noSubscriber() async throws {
        let (bus, _) = try await Self.turn(["a", "b", "c"], answers: [.noSubscriber, nil, .noSubscriber, nil, nil])
        #expect(bus.sizes == [3, 1, 1, 1, 1, 0])
    }
}
