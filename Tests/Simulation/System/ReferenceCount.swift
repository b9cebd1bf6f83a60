import Counter
import Logging
import Wire

/// The counter over messages, or its main loop over a log, that nothing interrupts, on stores of its own.
enum ReferenceCount {
    /// What every minute holds when device messages are counted one after another, and what is held back at the end.
    static func minutes(of records: [MotionRecord]) async throws -> [MinuteKey: MinuteNumbers] {
        var (pipeline, stores) = (CounterPipeline(), try QuietStores())
        for record in records { pipeline.accept(record) }
        pipeline.finish()
        _ = try await stores.commit(pipeline.takeCommit())
        return try await stores.minutes()
    }

    /// What every minute holds when a log is counted in one go.
    static func minutes(of log: [LogRecord]) async throws -> [MinuteKey: MinuteNumbers] {
        var stores = try await stores(of: log)
        return try await stores.minutes()
    }

    /// The stores when a log is counted in one go.
    static func stores(of log: [LogRecord]) async throws -> QuietStores {
        let stores = try QuietStores()
        let world = QuietWorld(log, stores.counter)
        let main = CounterMain(
            limits: CounterLimits(), partitions: .all, bus: world, log: world, store: world,
            clock: { Simulation.start }, logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() },
            marks: LogMarks())
        try await main.replay()
        try await main.storeEverything()
        return stores
    }
}

/// A world in which nothing fails, with a log that is there already.
private final class QuietWorld {
    private var unread: [LogRecord]
    private let store: CounterStore
    private var outcomes: [StoringOutcome]?
    private(set) var lastPosition: UInt64 = 0

    init(_ log: [LogRecord], _ store: CounterStore) { (unread, self.store) = (log, store) }
}

extension QuietWorld: InputLog {
    func readNext() -> LogPart? {
        guard !unread.isEmpty else { return nil }
        let records = unread.map { record in
            lastPosition += 1
            return (record, lastPosition)
        }
        unread = []
        return LogPart(records: records)
    }

    func write(_ records: [LogRecord]) { lastPosition += UInt64(records.count) }
    func trim(through position: UInt64) {}
    func empty() {}
}

extension QuietWorld: StateStore {
    var isDone: Bool { outcomes != nil }

    func begin(_ commit: CounterCommit) async throws {
        outcomes = try await store.commit(commit, nowMicroseconds: Simulation.start)
    }

    func finish() -> [StoringOutcome] {
        defer { outcomes = nil }
        return outcomes ?? []
    }

    func devices(after device: DeviceID?) -> [StoredDevice] { [] }
    func dropState(of device: DeviceID) {}

    func forget(_ order: CountsForget, _ marks: LogMarks) async throws {
        try await store.forget(order, marks)
    }
}

extension QuietWorld: CounterBus {
    func next() -> [CounterMessage]? { nil }
    func acknowledge() {}
    func publish(_ outputs: [LiveOutput]) {}
    func takeBack(_ device: DeviceID) {}
    func resend(_ request: CountsResend) {}
    func noteRows() {}
    func report(_ tally: CounterTally) {}
}
