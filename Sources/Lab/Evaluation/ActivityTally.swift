public import Wire

/// How many seconds were told as each activity.
public struct ActivityTally: Sendable, Equatable {
    /// The seconds, in the order of `ActivityKind`.
    public private(set) var seconds = [Int](repeating: 0, count: ActivityKind.allCases.count)

    /// What was told, second by second.
    public init(_ kinds: some Sequence<ActivityKind> = []) {
        for kind in kinds { seconds[Int(kind.rawValue)] += 1 }
    }

    /// The seconds of another tally too.
    public mutating func add(_ other: ActivityTally) {
        for index in seconds.indices { seconds[index] += other.seconds[index] }
    }

    /// All seconds.
    public var total: Int { seconds.reduce(0, +) }

    /// The share of the seconds that was told as one activity, 0 to 1.
    public func share(of kind: ActivityKind) -> Double {
        Double(seconds[Int(kind.rawValue)]) / Double(max(total, 1))
    }
}
