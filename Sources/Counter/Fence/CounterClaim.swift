import Wire

/// Which counter counts what: the life of its store and its partitions, told with its health, so that another counter
/// can see that it would count the same devices a second time.
struct CounterClaim: Sendable, Equatable {
    /// The store's epoch, cut to what a JSON number holds exactly (RFC 8259, section 6).
    let store: UInt64
    /// A bit for each partition.
    let partitions: UInt64

    private static let exactBits: UInt64 = (1 << 53) - 1
    private static let halfBits: UInt64 = 0xFFFF_FFFF

    init(epoch: UInt64, partitions: PartitionRange) {
        store = epoch & Self.exactBits
        self.partitions = partitions.partitions.reduce(0) { $0 | 1 << UInt64($1.number) }
    }

    /// The claim that a health tells; `nil` where it tells none.
    init?(_ health: ServiceHealth) {
        guard let store = health["store"], let low = health["partitions_low"], let high = health["partitions_high"]
        else { return nil }
        self.store = store
        partitions = high << 32 | (low & Self.halfBits)
    }

    /// The claim as part of a health.
    var counters: [(name: String, value: UInt64)] {
        [("store", store), ("partitions_low", partitions & Self.halfBits), ("partitions_high", partitions >> 32)]
    }

    /// Whether another counter counts some of the same partitions in a store of its own.
    func isRival(of other: CounterClaim) -> Bool {
        store != other.store && partitions & other.partitions != 0
    }
}
