/// How far history has the rows.
package struct OutboxCursor: Sendable, Equatable {
    /// The last revision that the broker took for history.
    package private(set) var published: UInt64
    /// What the store says of it.
    private(set) var stored: UInt64
    /// Whether there may be rows beyond it.
    package var hasRows = true
    /// Grows when history asks for rows again, so that an answer to an earlier publication does not skip them.
    package private(set) var generation = 0

    /// A cursor at the revision that the store says.
    package init(stored: UInt64) {
        published = stored
        self.stored = stored
    }

    /// Whether the store has to be told.
    package var isMoved: Bool { published != stored }

    /// The broker took rows through a revision that were published in a generation.
    package mutating func advance(through revision: UInt64, generation: Int) {
        guard generation == self.generation else { return }
        published = max(published, revision)
    }

    /// History asks for the rows after a revision again.
    package mutating func rewind(to revision: UInt64) {
        guard revision < published else { return }
        published = revision
        generation += 1
        hasRows = true
    }

    /// The store was told.
    package mutating func store(_ revision: UInt64) {
        stored = revision
    }
}
