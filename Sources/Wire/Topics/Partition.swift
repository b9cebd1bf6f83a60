/// One share of the devices: everything about a device travels in one partition, so that one counter owns its state.
package struct Partition: Hashable, Sendable, Comparable {
    /// The number of partitions of a bus.
    package static let count = 64

    /// The partition's number, `0 ..< Partition.count`.
    package let number: Int

    /// Takes a partition's number from a topic or a flag.
    package init(number: Int) throws(WireError) {
        guard (0..<Self.count).contains(number) else { throw .unknownTopic }
        self.number = number
    }

    /// The partition of a device: the stable hash of its id, modulo the number of partitions.
    package init(of device: DeviceID) {
        var hash = StableHash()
        for index in 0..<device.count { hash.combine(device[index]) }
        number = Int(hash.value % UInt64(Self.count))
    }

    /// Every partition, in order.
    package static var all: [Partition] { (0..<count).compactMap { try? Partition(number: $0) } }

    /// Partitions sort by number.
    package static func < (lhs: Partition, rhs: Partition) -> Bool { lhs.number < rhs.number }
}

/// FNV-1a, 64 bits: the hash that devices, partitions and histories agree on across processes, releases and machines.
///
/// Source: G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, "The FNV Non-Cryptographic Hash Algorithm" (IETF draft
/// draft-eastlake-fnv), 64-bit offset basis and prime.
package struct StableHash: Sendable {
    /// The hash of all bytes taken in so far.
    package var value: UInt64 = 0xcbf2_9ce4_8422_2325

    /// Starts with nothing taken in.
    package init() {}

    @inlinable
    package mutating func combine(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* Self.prime
    }

    /// Takes in bytes in their order: the way for thousands of them, because it is never generic.
    package mutating func combine(_ bytes: UnsafeRawBufferPointer) {
        var hash = value
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* Self.prime }
        value = hash
    }

    /// Takes in bytes in their order.
    @inlinable
    package mutating func combine(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { combine(byte) }
    }

    @usableFromInline static let prime: UInt64 = 0x0000_0100_0000_01b3
}
