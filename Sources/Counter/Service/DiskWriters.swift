import Dispatch
import Logging
import MQTT
import ServiceKit
import Synchronization
package import Wire

/// The log on the disk. While the disk fails its methods go on trying.
package protocol InputLog {
    /// The last record that was appended.
    var lastPosition: UInt64 { get }
    /// The records of the next file, at a start; `nil` after the last.
    func readNext() async throws -> LogPart?
    /// Returns when the records are on the disk.
    func write(_ records: [LogRecord]) async throws
    /// Lets go of what the store holds.
    func trim(through position: UInt64) async throws
    func empty() async throws
}

/// The store on the disk. While the disk fails its methods go on trying.
package protocol StateStore {
    /// Begins to store a commit beside the counting. There is one at a time.
    func begin(_ commit: CounterCommit) async throws
    /// Whether what was begun is stored, or cannot be.
    var isDone: Bool { get }
    /// Waits until what was begun is stored.
    ///
    /// - Returns: Its words that changed nothing.
    func finish() async throws -> [StoringOutcome]
    /// The next devices that have a state or a config, in the order of their names; empty after the last.
    func devices(after device: DeviceID?) async throws -> [StoredDevice]
    /// Lets go of a state that cannot be read.
    func dropState(of device: DeviceID) async throws
    /// Forgets what was counted, and notes how far the log is counted then, in one transaction.
    func forget(_ order: CountsForget, _ marks: LogMarks) async throws
}

/// The log on a thread of its own, which waits for the disk.
final class LogWriter: InputLog, Sendable {
    private let log: Mutex<CounterLog<LogDirectory>>
    private let disk: DiskRetries
    private let counters: CounterCounters
    private let logger: Logger
    private let queue = DispatchQueue(label: "counter log")

    init(_ log: sending CounterLog<LogDirectory>, disk: DiskRetries, counters: CounterCounters, logger: Logger) {
        self.log = Mutex(log)
        (self.disk, self.counters, self.logger) = (disk, counters, logger)
    }

    func readNext() async throws -> LogPart? { try await run { try $0.readNext() } }

    func write(_ records: [LogRecord]) async throws {
        try await disk.untilItWorks { [self] in
            try await run {
                try $0.append(records)
                try $0.sync()
            }
        }
    }

    /// A file that cannot be deleted now is deleted after a later commit.
    func trim(through position: UInt64) async throws {
        do { try await run { try $0.trim(through: position) } } catch {
            counters.add(.diskFailures)
            logger.warning("a file of the log was not deleted", metadata: ["reason": "\(error)"])
        }
    }

    func empty() async throws { try await run { try $0.empty() } }

    var lastPosition: UInt64 { log.withLock(\.lastPosition) }

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (inout CounterLog<LogDirectory>) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try self.log.withLock { try body(&$0) } }) }
        }
    }
}

/// The store as the counter uses it: commits are stored beside the counting, one after another, and everything is tried
/// until it succeeds. What is being stored is in the log meanwhile.
///
/// It ends with the task that runs it, so that nothing writes to a store that is closed.
final class StoreWriter: StateStore, Sendable {
    private let store: CounterStore
    private let inputs: BatchInputs
    private let counters: CounterCounters
    private let disk: DiskRetries
    private let limits: CounterLimits
    private let inputGuard: InputGuard
    private let clock = SteadyClock()
    private let commits: AsyncStream<CounterCommit>
    private let continuation: AsyncStream<CounterCommit>.Continuation
    private let result = Mutex<Result<[StoringOutcome], any Error>?>(nil)

    init(
        _ store: CounterStore, inputs: BatchInputs, disk: DiskRetries, counters: CounterCounters,
        limits: CounterLimits, inputGuard: InputGuard
    ) {
        (self.disk, self.inputGuard) = (disk, inputGuard)
        (self.store, self.inputs, self.counters, self.limits) = (store, inputs, counters, limits)
        (commits, continuation) = AsyncStream.makeStream()
    }

    func begin(_ commit: CounterCommit) { continuation.yield(commit) }

    /// Stores what is begun until the task is cancelled.
    func run() async {
        for await var commit in commits {
            commit.encodeStates(inputGuard)
            let (whole, now) = (commit, clock.microseconds)
            let stored: Result<[StoringOutcome], any Error>
            do {
                stored = .success(
                    try await disk.untilItWorks(isAwaited: false) { [store] in
                        try await store.commit(whole, nowMicroseconds: now)
                    })
            } catch { stored = .failure(error) }
            result.withLock { $0 = stored }
            inputs.wake()
        }
    }

    var isDone: Bool { result.withLock { $0 != nil } }

    func finish() async throws -> [StoringOutcome] {
        while true {
            let stored = result.withLock { result in
                defer { result = nil }
                return result
            }
            if let stored { return try stored.get() }
            try await inputs.wait()
            counters.publishWhenDue()
        }
    }

    func devices(after device: DeviceID?) async throws -> [StoredDevice] {
        try await disk.untilItWorks { [store] in
            try await store.devices(after: device, atMost: limits.maximumStatesAtOnce)
        }
    }

    func dropState(of device: DeviceID) async throws {
        try await disk.untilItWorks { [store] in try await store.dropState(of: device) }
    }

    func forget(_ order: CountsForget, _ marks: LogMarks) async throws {
        try await disk.untilItWorks { [store] in try await store.forget(order, marks) }
    }
}

/// Work with the disk that is tried until it succeeds, with an operator who hears of it.
struct DiskRetries: Sendable {
    private static let backoff = MQTTBackoff(minimumSeconds: 0.05, maximumSeconds: 5)

    private let counters: CounterCounters
    /// The time for which it is tried after the service was asked to stop, in seconds.
    private let stopSeconds: Double
    private let logger: Logger

    init(_ counters: CounterCounters, stopSeconds: Int, logger: Logger) {
        (self.counters, self.stopSeconds, self.logger) = (counters, Double(stopSeconds), logger)
    }

    /// - Parameter isAwaited: Whether the counter waits for it. As long as it fails nothing is acknowledged then, so nothing
    ///   more is read.
    /// - Throws: An error that does not pass, or any at a shutdown that takes too long.
    func untilItWorks<Result: Sendable>(
        isAwaited: Bool = true, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withRetry(
            backoff: Self.backoff, stopSeconds: stopSeconds,
            until: { error in
                guard (error as? CounterError)?.isTransient == true else { return true }
                counters.add(.diskFailures)
                let line = isAwaited ? "nothing is read until the disk works again" : "what is counted waits in the log"
                logger.error("\(line)", metadata: ["reason": "\(error)"])
                if isAwaited { counters.publish() }
                return false
            }, body)
    }
}
