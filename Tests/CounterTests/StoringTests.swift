import Logging
import TestBroker
import Testing
import Wire

@testable import Counter

@Suite("Devices are stored a few at a time, and what the log still has is counted once")
struct StoringTests {
    private let walkers = [Walk("a"), Walk("b"), Walk("c")]

    /// A bus, a log and a store in memory. The store is done when the test says so, or when it is waited for.
    private final class World: CounterBus, InputLog, StateStore {
        var now = Walk.start
        var inbox: [[CounterMessage]] = []
        var acknowledged = 0
        var records: [LogRecord] = []
        private var isRead = false
        var states: [DeviceID: [UInt8]] = [:]
        private var configs: [DeviceID: [UInt8]] = [:]
        private var positions: [DeviceID: UInt64] = [:]
        /// The storing that is not done yet.
        private(set) var storing: CounterCommit?
        private(set) var isDone = false
        private(set) var isAwaited = false
        private(set) var steps: Int64 = 0
        private(set) var marks = LogMarks()

        /// What a process that dies leaves behind.
        func restarted() -> World {
            let next = World()
            (next.now, next.records, next.states, next.configs) = (now, records, states, configs)
            (next.steps, next.marks, next.positions) = (steps, marks, positions)
            return next
        }

        func complete() {
            guard !isDone, let storing else { return }
            for state in storing.states {
                (states[state.device], positions[state.device]) = (state.bytes, state.position)
            }
            configs.merge(storing.configs) { $1 }
            for increment in storing.increments { steps += increment[.steps] }
            marks = storing.marks ?? marks
            isDone = true
        }

        func next() -> [CounterMessage]? { inbox.isEmpty ? [] : inbox.removeFirst() }
        func acknowledge() { acknowledged += 1 }
        func publish(_ outputs: [LiveOutput]) {}
        func takeBack(_ device: DeviceID) {}
        func resend(_ request: CountsResend) {}
        func noteRows() {}
        func report(_ tally: CounterTally) {}

        var lastPosition: UInt64 { UInt64(records.count) }
        func readNext() -> LogPart? {
            defer { isRead = true }
            let rest = records.enumerated().map { (record: $1, position: UInt64($0 + 1)) }
            return isRead ? nil : LogPart(records: rest.filter { $0.position > marks.states })
        }
        func write(_ records: [LogRecord]) { self.records += records }
        func trim(through position: UInt64) {}
        func empty() {}

        func begin(_ commit: CounterCommit) { (storing, isDone) = (commit, false) }
        func finish() -> [StoringOutcome] {
            isAwaited = !isDone
            complete()
            (storing, isDone) = (nil, false)
            return []
        }
        func devices(after device: DeviceID?) -> [StoredDevice] {
            guard device == nil else { return [] }
            return Set(states.keys).union(configs.keys).sorted().map {
                StoredDevice(device: $0, state: states[$0], config: configs[$0], position: positions[$0] ?? 0)
            }
        }
        func dropState(of device: DeviceID) {}
        func forget(_ order: CountsForget, _ marks: LogMarks) {
            self.marks = marks
            states[order.device] = nil
        }
    }

    /// States are stored every second.
    private static let prompt: CounterLimits = {
        var limits = CounterLimits()
        (limits.minimumUnstoredSeconds, limits.statesASecond) = (1, 10)
        return limits
    }()

    /// A counter in such a world.
    private struct Bench {
        let world: World
        let main: CounterMain

        init(_ world: World = World(), limits: CounterLimits = prompt) async throws {
            var limits = limits
            limits.maximumStatesAtOnce = 1
            self.world = world
            main = CounterMain(
                limits: limits, partitions: .all, bus: world, log: world, store: world, clock: { world.now },
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                marks: world.marks)
            try await main.replay()
        }

        var storing: CounterCommit? { world.storing }

        func take(_ messages: CounterMessage...) async throws {
            world.inbox.append(messages)
            try await main.turn()
        }

        /// Some time later.
        func pass(seconds: Double) async throws {
            world.now += Int64(seconds * 1e6)
            try await main.turn()
        }

        /// The store is done with what it was given.
        func finishStoring() async throws {
            world.complete()
            try await main.turn()
        }
    }

    private func message(_ seconds: Range<Int>, of walker: Walk) -> CounterMessage {
        var encoder = MotionBatchEncoder()
        for record in walker.records(seconds: seconds) { _ = encoder.append(record) }
        return .record(.motion(encoder.bytes))
    }

    @Test("The log is needed from the oldest change on, and states say how far they are ahead of that")
    func slices() async throws {
        let bench = try await Bench()
        for walker in walkers { try await bench.take(message(0..<20, of: walker)) }
        try await bench.pass(seconds: 1.4)
        // The first device is being stored while the others come.
        let first = try #require(bench.storing)
        #expect(first.states.map(\.device) == [walkers[0].device])
        #expect(first.marks == LogMarks(states: 1, counted: 3, rows: 3))
        try await bench.take(message(20..<40, of: walkers[0]))
        try await bench.finishStoring()
        try await bench.pass(seconds: 1.4)
        let second = try #require(bench.storing)
        #expect(second.states.map(\.device) == [walkers[1].device])
        #expect(second.marks == LogMarks(states: 2, counted: 4, rows: 4))
        try await bench.finishStoring()
        try await bench.pass(seconds: 1.4)
        let third = try #require(bench.storing)
        #expect(third.states.map(\.device) == [walkers[2].device])
        #expect(third.marks?.states == 3)
    }

    @Test("While frames keep coming, states are stored at their pace, also right after a look for silent devices")
    func pace() async throws {
        var limits = Self.prompt
        limits.statesASecond = 1
        let bench = try await Bench(limits: limits)
        for walker in walkers { try await bench.take(message(0..<1, of: walker)) }
        for second in 1..<12 {
            bench.world.now += 250_000
            for walker in walkers { try await bench.take(message(second..<second + 1, of: walker)) }
            // Three that have changed are due after three seconds.
            #expect(bench.storing == nil)
        }
        bench.world.now += 500_000
        try await bench.take(message(12..<13, of: walkers[0]))
        #expect(bench.storing != nil)
    }

    @Test("A config is acknowledged when the log has it, and stored with its device, whoever changed before")
    func config() async throws {
        let bench = try await Bench()
        for walker in walkers { try await bench.take(message(0..<20, of: walker)) }
        let json = Array(#"{"zone":"Europe/Berlin"}"#.utf8)
        try await bench.take(.record(.config(walkers[2].device, json)))
        #expect(bench.world.acknowledged == 4 && bench.storing == nil)
        try await bench.pass(seconds: 1.4)
        let stored = try #require(bench.storing)
        #expect(Array(stored.configs.keys) == [walkers[2].device])
        #expect(stored.states.map(\.device) == [walkers[0].device, walkers[2].device])
        #expect(!bench.world.isAwaited)
    }

    @Test("A config that the stored state follows from is not taken once more, so that no later one is undone")
    func configOfBefore() async throws {
        let whole = try await Bench()
        var broken = try await Bench()
        func config(_ placement: String) -> CounterMessage {
            let json = Array(#"{"kind":"wearable","placement":"\#(placement)"}"#.utf8)
            return .record(.config(walkers[1].device, json))
        }
        for bench in [whole, broken] {
            // The first walker is stored last, and holds the log.
            try await bench.take(message(0..<20, of: walkers[1]))
            try await bench.take(message(0..<20, of: walkers[0]))
            try await bench.take(config("hand"))
            try await bench.take(config("pocket"))
            try await bench.take(message(20..<40, of: walkers[1]))
            try await bench.pass(seconds: 1.4)
        }
        try await broken.finishStoring()
        #expect(broken.world.marks.states == 1)
        broken = try await Bench(broken.world.restarted())
        for bench in [whole, broken] {
            try await bench.take(message(40..<60, of: walkers[1]))
            try await bench.main.storeEverything()
        }
        #expect(broken.world.steps == whole.world.steps && whole.world.steps > 60)
    }

    @Test("A configuration that the broker sends again with its next connection changes nothing, and stores nothing")
    func repeatedConfig() async throws {
        let bench = try await Bench()
        let config = { (device: DeviceID, json: String) in CounterMessage.record(.config(device, Array(json.utf8))) }
        try await bench.take(message(0..<20, of: walkers[0]))
        try await bench.take(config(walkers[0].device, #"{"zone":"Europe/Berlin"}"#))
        try await bench.main.storeEverything()
        try await bench.take(config(walkers[0].device, #"{"zone":"Europe/Berlin"}"#))
        try await bench.pass(seconds: 1.4)
        #expect(bench.storing?.configs.isEmpty == true && bench.storing?.states.isEmpty == true)
        try await bench.finishStoring()
        try await bench.take(config(walkers[0].device, #"{"zone":"Asia/Tokyo"}"#))
        try await bench.pass(seconds: 1.4)
        #expect(bench.storing?.configs.count == 1)
    }

    @Test("Configs alone do not grow without end either: nothing more is read until they are stored")
    func manyConfigs() async throws {
        var limits = Self.prompt
        (limits.maximumLogBytes, limits.stallingLogBytes) = (1_000, 2_000)
        let bench = try await Bench(limits: limits)
        let json = Array(#"{"zone":"Europe/Berlin"}"#.utf8)
        for number in 0..<100 {
            try await bench.take(.record(.config("bike-\(number)", json)))
            #expect(bench.main.unstoredBytes <= 2_000 + json.count)
        }
        #expect(bench.world.isAwaited)
    }

    @Test("Messages of which nothing is counted leave the log too")
    func refusedMessages() async throws {
        let bench = try await Bench(limits: CounterLimits(maximumDevices: 0))
        try await bench.take(.record(.motion([1, 2, 3])))
        try await bench.pass(seconds: 11)
        #expect(bench.storing?.marks == LogMarks(states: 1, counted: 1, rows: 1))
    }
}
