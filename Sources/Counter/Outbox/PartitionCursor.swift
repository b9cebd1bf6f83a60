/// How far history has one partition.
struct PartitionCursor: Sendable, Equatable {
    /// The last revision that the broker took for history.
    private(set) var published: UInt64
    /// What the store says of it.
    private(set) var stored: UInt64
    /// Whether there may be rows beyond it.
    var hasRows = true
    /// Grows when history asks for rows again, so that an answer to an earlier publication does not skip them.
    private(set) var generation = 0

    init(stored: UInt64) {
        published = stored
        self.stored = stored
    }

    /// Whether the store has to be told.
    var isMoved: Bool { published != stored }

    /// The broker took rows through a revision that were published in a generation.
    mutating func advance(through revision: UInt64, generation: Int) {
        guard generation == self.generation else { return }
        published = max(published, revision)
    }

    /// History asks for the rows after a revision again.
    mutating func rewind(to revision: UInt64) {
        guard revision < published else { return }
        published = revision
        generation += 1
        hasRows = true
    }

    /// The store was told.
    mutating func store(_ revision: UInt64) {
        stored = revision
    }
}
