/// The rows of one message from counter to history, with its place in the chain of that counter's messages.
///
/// A counter numbers every change of a row; the number is the row's revision. `previousRevision` is the last revision
/// of the message before. A reader whose own position is smaller has missed rows and asks for them (`CountsResend`); one
/// whose own is greater has seen this message before, which is harmless.
public struct CountsBatch: Sendable, Equatable {
    /// The life of the counter's store.
    public var epoch: UInt64
    /// The last revision of the message before this one; 0 for the first.
    public var previousRevision: UInt64
    /// The last revision in this message.
    public var lastRevision: UInt64
    /// The rows, in ascending order of revision, of any device of the counter.
    public var rows: [MinuteTotals]

    /// The most rows in one message.
    public static let maximumRows = 400

    /// A batch from its parts.
    public init(epoch: UInt64, previousRevision: UInt64, lastRevision: UInt64, rows: [MinuteTotals]) {
        self.epoch = epoch
        self.previousRevision = previousRevision
        self.lastRevision = lastRevision
        self.rows = rows
    }
}

/// What history sends to the counters when it has missed rows: how far it has each counter's rows without a gap.
///
/// A counter that finds the epoch of its store sends all rows after that revision again; one that does not sends all
/// rows that it has.
public struct CountsResend: Sendable, Hashable {
    /// How far the rows of one epoch are known.
    public struct Position: Sendable, Hashable {
        /// The life of a counter's store.
        public var epoch: UInt64
        /// The last revision before which nothing is missing.
        public var revision: UInt64

        /// A position from its parts.
        public init(epoch: UInt64, revision: UInt64) {
            self.epoch = epoch
            self.revision = revision
        }
    }

    /// The positions, each epoch once, at most `maximumPositions`.
    public var positions: [Position]

    /// The most positions in one request.
    public static let maximumPositions = 16

    /// A request from its positions.
    public init(positions: [Position] = []) {
        self.positions = positions
    }

    /// The revision after which a counter must send its rows; 0 where the reader knows nothing of its store.
    public func revision(ofEpoch epoch: UInt64) -> UInt64 {
        positions.first { $0.epoch == epoch }?.revision ?? 0
    }
}
