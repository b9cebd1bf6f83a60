package import Wire

/// Which store keeps what a service counts, told with the service's health, so that another instance with files of its
/// own can see that it would do the same work a second time.
package struct StoreClaim: Sendable, Equatable {
    /// The store's own number, cut to what a JSON number holds exactly (RFC 8259, section 6).
    package let store: UInt64
    /// A bit for each partition.
    package let partitions: UInt64

    private static let exactBits: UInt64 = (1 << 53) - 1
    private static let halfBits: UInt64 = 0xFFFF_FFFF

    /// The claim of a store on partitions.
    package init(store: UInt64, partitions: [Partition] = Partition.all) {
        self.store = store & Self.exactBits
        self.partitions = partitions.reduce(0) { $0 | 1 << UInt64($1.number) }
    }

    /// The claim that a health tells; `nil` where it tells none.
    package init?(_ health: ServiceHealth) {
        guard let store = health["store"], let low = health["partitions_low"], let high = health["partitions_high"]
        else { return nil }
        self.store = store
        partitions = high << 32 | (low & Self.halfBits)
    }

    /// The claim as part of a health.
    package var counters: [(name: String, value: UInt64)] {
        [("store", store), ("partitions_low", partitions & Self.halfBits), ("partitions_high", partitions >> 32)]
    }

    /// Whether another instance keeps some of the same partitions in a store of its own.
    package func isRival(of other: StoreClaim) -> Bool {
        store != other.store && partitions & other.partitions != 0
    }
}
