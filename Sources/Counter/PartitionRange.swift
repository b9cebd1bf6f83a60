package import Wire

/// The partitions that a counter owns, as an operator writes them: `0-63`, `0-15/64`, `7` or `0-3,8-11`.
package struct PartitionRange: Sendable, Hashable {
    /// The partitions, in order, each once.
    package let partitions: [Partition]

    /// Every partition.
    package static let all = PartitionRange(partitions: Partition.all)

    /// Whether it is every partition.
    package var isAll: Bool { partitions.count == Partition.count }

    /// Whether a partition is among them.
    package func contains(_ partition: Partition) -> Bool { isAll || partitions.contains(partition) }

    private init(partitions: [Partition]) {
        self.partitions = partitions
    }

    /// Reads what an operator wrote.
    ///
    /// - Throws: ``CounterError`` that says what may be written.
    package init(_ text: String) throws(CounterError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let advice = CounterError.configuration(
            key: "partitions", problem: "is '\(text)': write a range such as 0-15/64, within 0-\(Partition.count - 1)")
        guard parts.count == 1 || (parts.count == 2 && parts[1] == "\(Partition.count)") else { throw advice }
        var numbers: Set<Int> = []
        for item in parts[0].split(separator: ",", omittingEmptySubsequences: false) {
            let ends = item.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
                0 <= first, first <= last, last < Partition.count
            else { throw advice }
            numbers.formUnion(first...last)
        }
        partitions = numbers.sorted().compactMap { try? Partition(number: $0) }
    }
}

extension PartitionRange: CustomStringConvertible {
    /// The numbers, separated by commas.
    package var description: String {
        isAll ? "0-\(Partition.count - 1)" : partitions.map { "\($0.number)" }.joined(separator: ",")
    }
}
