/// One share of the devices: everything about a device travels in one partition, so that one counter owns its state.
public struct Partition: Hashable, Sendable, Comparable {
    /// How many partitions a bus has.
    public static let count = 64

    /// The partition's number, `0 ..< Partition.count`.
    public let number: Int

    /// Takes a partition's number from a topic or a flag.
    public init(number: Int) throws(WireError) {
        guard (0..<Self.count).contains(number) else { throw .unknownTopic }
        self.number = number
    }

    /// The partition of a device: the stable hash of its id, modulo the number of partitions.
    public init(of device: DeviceID) {
        var hash = StableHash()
        for index in 0..<device.count { hash.combine(device[index]) }
        number = Int(hash.value % UInt64(Self.count))
    }

    /// Every partition, in order.
    public static var all: [Partition] { (0..<count).compactMap { try? Partition(number: $0) } }

    /// Partitions sort by number.
    public static func < (lhs: Partition, rhs: Partition) -> Bool { lhs.number < rhs.number }
}
