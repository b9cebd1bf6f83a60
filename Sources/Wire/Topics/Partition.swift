/// One share of the devices. All messages about a device use one partition, so that one counter owns its state.
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

    package static var all: [Partition] { (0..<count).compactMap { try? Partition(number: $0) } }

    package static func < (lhs: Partition, rhs: Partition) -> Bool { lhs.number < rhs.number }
}

/// The partitions that one counter counts, as an operator writes them: `0-31`, or `7` for one.
package struct PartitionRange: Sendable, Hashable {
    package let numbers: ClosedRange<Int>

    package static let all = PartitionRange(0...Partition.count - 1)

    package var isAll: Bool { self == .all }
    package var partitions: [Partition] { Partition.all.filter(contains) }

    package func contains(_ partition: Partition) -> Bool { numbers.contains(partition.number) }

    private init(_ numbers: ClosedRange<Int>) {
        self.numbers = numbers
    }

    /// Reads what an operator wrote; `nil` where it is no range of partitions.
    package init?(_ text: some StringProtocol) {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
            0 <= first, first <= last, last < Partition.count
        else { return nil }
        self.init(first...last)
    }

    /// Reads the ranges of all counters, with commas between them; `nil` where they are not every partition, each once.
    package static func every(_ text: String) -> [PartitionRange]? {
        let ranges = text.split(separator: ",", omittingEmptySubsequences: false).map { PartitionRange($0) }
        let known = ranges.compactMap(\.self).sorted { $0.numbers.lowerBound < $1.numbers.lowerBound }
        guard known.count == ranges.count, known.flatMap(\.numbers).elementsEqual(0..<Partition.count) else {
            return nil
        }
        return known
    }

    package func overlaps(_ other: PartitionRange) -> Bool { numbers.overlaps(other.numbers) }
}

extension PartitionRange: CustomStringConvertible {
    package var description: String {
        numbers.count == 1 ? "\(numbers.lowerBound)" : "\(numbers.lowerBound)-\(numbers.upperBound)"
    }
}
