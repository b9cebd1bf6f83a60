/// The rows of one message from counter to history, with its place in the chain of messages of one partition.
///
/// `previousRevision` is the last revision of the message before it. A reader whose own last revision is smaller has
/// missed something and asks for it (`CountsResend`); one whose own is greater has seen this before, which is harmless.
public struct CountsBatch: Sendable, Equatable {
    /// The life of the counter's store.
    public var epoch: UInt64
    /// The partition of every row.
    public var partition: Partition
    /// The last revision of the message before this one in the partition; 0 for the first.
    public var previousRevision: UInt64
    /// The last revision in this message.
    public var lastRevision: UInt64
    /// The rows, in ascending order of revision.
    public var rows: [MinuteTotals]

    /// The most rows in one message.
    public static let maximumRows = 400

    /// A batch from its parts.
    public init(
        epoch: UInt64, partition: Partition, previousRevision: UInt64, lastRevision: UInt64, rows: [MinuteTotals]
    ) {
        self.epoch = epoch
        self.partition = partition
        self.previousRevision = previousRevision
        self.lastRevision = lastRevision
        self.rows = rows
    }
}

/// What history sends to the counter of a partition when it has missed rows: send again all after `afterRevision`.
public struct CountsResend: Sendable, Hashable {
    /// The epoch that the reader knows; 0 when it knows none.
    public var epoch: UInt64
    /// The last revision that the reader has without a gap; 0 for everything.
    public var afterRevision: UInt64

    /// A request from its parts.
    public init(epoch: UInt64, afterRevision: UInt64) {
        self.epoch = epoch
        self.afterRevision = afterRevision
    }
}
