package import Wire

/// A message of the bus, as the counter reads it.
package enum CounterMessage: Sendable {
    /// It changes what is counted, and so it goes into the log.
    case record(LogRecord)
    /// History has missed rows.
    case resend(CountsResend)
    /// Another counter is at work on some of the same partitions.
    case rival(PartitionRange)
    /// It cannot be read.
    case unreadable(WireError)
}

/// The bus as the counter uses it. An error of its methods ends the counter as a crash would: the next start counts
/// what the log has.
package protocol CounterBus {
    /// Waits for messages, the next tick, or the end of what is being stored; none may have come, or only such as the bus
    /// answers itself. `nil` when no more is read.
    func next() async throws -> [CounterMessage]?
    /// The messages of the last `next` are not sent again.
    func acknowledge() async throws
    /// Publishes live reports, if the connection takes them.
    func publish(_ outputs: [LiveOutput]) async throws
    /// Clears what the broker retains of a device.
    func takeBack(_ device: DeviceID) async throws
    /// Sends rows to history once more.
    func resend(_ request: CountsResend) async throws
    /// There are new rows for history.
    func noteRows() async throws
    /// Tells the operator how the counting goes.
    func report(_ tally: CounterTally) async throws
}

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
    /// Lets go of everything.
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
    func finish() async throws -> [WordOutcome]
    /// The next devices that have a state or a config, in the order of their names; empty after the last.
    func devices(after device: DeviceID?) async throws -> [StoredDevice]
    /// Lets go of a state that cannot be read.
    func dropState(of device: DeviceID) async throws
    /// Forgets what was counted, and notes how far the log is counted then, in one transaction.
    func forget(_ order: CountsForget, _ marks: LogMarks) async throws
}
