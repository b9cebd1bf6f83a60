/// The sequence numbers below the newest that have not come: sorted, disjoint, half-open ranges.
///
/// Together with the next expected number it tells seen from unseen for a whole boot, however far back, in little
/// space. When there are too many ranges the lowest is forgotten, and what it held counts as seen from then on.
struct SequenceGaps: Sendable, Equatable {
    /// The most ranges that are remembered for a boot.
    static let maximumRanges = 128

    private(set) var ranges: [Range<UInt64>] = []
    /// Below this a range has been forgotten, so that a number there may not have come.
    private(set) var forgottenBelow: UInt64 = 0

    /// Whether a number has not come yet.
    func contains(_ sequence: UInt64) -> Bool {
        guard let index = index(of: sequence) else { return false }
        return ranges[index].contains(sequence)
    }

    /// Adds a range above all others.
    mutating func append(_ range: Range<UInt64>) {
        guard !range.isEmpty else { return }
        ranges.append(range)
        forgetSurplus()
    }

    /// Takes a number that has come out of its range; false if it was in none.
    mutating func remove(_ sequence: UInt64) -> Bool {
        guard let index = index(of: sequence), ranges[index].contains(sequence) else { return false }
        let range = ranges[index]
        let lower = range.lowerBound..<sequence
        let upper = (sequence + 1)..<range.upperBound
        switch (lower.isEmpty, upper.isEmpty) {
        case (true, true): ranges.remove(at: index)
        case (false, true): ranges[index] = lower
        case (true, false): ranges[index] = upper
        case (false, false):
            ranges[index] = upper
            ranges.insert(lower, at: index)
            forgetSurplus()
        }
        return true
    }

    private mutating func forgetSurplus() {
        guard ranges.count > Self.maximumRanges else { return }
        forgottenBelow = ranges.removeFirst().upperBound
    }

    /// The last range that does not start above the number.
    private func index(of sequence: UInt64) -> Int? {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].lowerBound <= sequence { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : low - 1
    }

    mutating func transfer(_ coder: inout StateCoder) {
        coder.code(array: &ranges, maximum: Self.maximumRanges, empty: 0..<0) { coder, range in
            var lower = range.lowerBound
            var upper = range.upperBound
            coder.code(&lower)
            coder.code(&upper)
            if lower <= upper { range = lower..<upper } else { coder.reject() }
        }
        coder.code(&forgottenBelow)
        if coder.isReading, !isSorted { coder.reject() }
    }

    private var isSorted: Bool {
        zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
            && ranges.allSatisfy { !$0.isEmpty }
    }
}
