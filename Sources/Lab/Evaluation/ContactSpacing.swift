/// How evenly the true steps of a recording follow one another, which says how far the truth itself can be trusted.
///
/// No foot lands within half a step of the other: a switch in a shoe that told so has bounced, or has opened and closed
/// again under a foot that turned. Where the time of two steps passes without any, one was missed, or somebody faltered.
public struct ContactSpacing: Sendable, Equatable {
    /// An interval of less than this share of the median one is none between two steps.
    public static let nearShare = 0.5
    /// An interval of so many medians lacks a step; of more, somebody stood.
    public static let farShares = 1.6..<3

    /// All contacts.
    public private(set) var count = 0
    /// Those that follow another too soon.
    public private(set) var near = 0
    /// Those before which one may be missing.
    public private(set) var far = 0

    /// Nothing is known.
    public init() {}

    /// The contacts' times, in order, in seconds.
    public init(seconds: [Double]) {
        count = seconds.count
        let intervals = zip(seconds.dropFirst(), seconds).map { $0 - $1 }
        guard let median = ErrorDistribution(intervals)?.median, median > 0 else { return }
        near = intervals.count { $0 < Self.nearShare * median }
        far = intervals.count { Self.farShares.contains($0 / median) }
    }

    /// Those of another recording too.
    public mutating func add(_ other: ContactSpacing) {
        count += other.count
        near += other.near
        far += other.far
    }
}
