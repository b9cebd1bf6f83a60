/// FNV-1a, 64 bits: the hash that devices, partitions and histories agree on across processes, releases and machines.
///
/// Source: G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, "The FNV Non-Cryptographic Hash Algorithm" (IETF draft
/// draft-eastlake-fnv), 64-bit offset basis and prime.
public struct StableHash: Sendable {
    /// The hash of all bytes taken in so far.
    public private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    /// Starts with nothing taken in.
    public init() {}

    /// Takes in one byte.
    @inlinable
    public mutating func combine(_ byte: UInt8) {
        combineWord(UInt64(byte))
    }

    /// Takes in bytes in their order.
    @inlinable
    public mutating func combine(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { combine(byte) }
    }

    @usableFromInline
    mutating func combineWord(_ word: UInt64) {
        value = (value ^ word) &* 0x0000_0100_0000_01b3
    }
}
