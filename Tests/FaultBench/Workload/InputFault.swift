import Wire

/// What happens to the frames before they reach the broker.
enum InputFault: String, CaseIterable, Sendable {
    case twice
    case shuffled
    case thinned
    case besideGarbage

    /// How far frames are moved, in microseconds of their own time.
    static let shuffleMicroseconds = 10_000_000
    /// The share of frames that never come.
    static let lossShare = 0.3

    /// The frames as they are sent, and those that are to be counted.
    func applied(to items: [Workload.Item], seed: UInt64) -> (sent: [Workload.Item], counted: [Workload.Item]) {
        var random = SeededGenerator(seed: seed, stream: 0xfa17)
        switch self {
        case .twice: return (items.flatMap { [$0, $0] }, items)
        case .besideGarbage: return (items, items)
        case .thinned:
            // The last frames come, so that every gap has an end.
            let last = items.count - 20
            let kept = items.enumerated().filter {
                $0.offset >= last || Double.random(in: 0..<1, using: &random) >= Self.lossShare
            }.map(\.element)
            return (kept, kept)
        case .shuffled:
            let moved = items.map { item in
                var copy = item
                copy.due += Int64(Double.random(in: 0...Double(Self.shuffleMicroseconds), using: &random))
                return copy
            }
            return (moved.sorted { $0.due < $1.due }, items)
        }
    }
}
