import Wire

/// Floors gone on foot. Where they are optional, `nil` is nothing known, which adds nothing.
///
/// Unlike those on the bus (`FloorCounts`) they may be below 0, because a difference takes back what a newer row has
/// less.
public struct Floors: Sendable, Equatable {
    /// Floors gone up.
    public var ascended: Int64
    /// Floors gone down.
    public var descended: Int64

    /// Floors from their numbers.
    public init(ascended: Int64 = 0, descended: Int64 = 0) {
        self.ascended = ascended
        self.descended = descended
    }

    /// The floors of a minute row.
    init(_ counts: FloorCounts) {
        self.init(ascended: Int64(clamping: counts.ascended), descended: Int64(clamping: counts.descended))
    }

    /// The columns of a row; `nil` where both are NULL.
    init?(ascended: Int64?, descended: Int64?) {
        guard ascended != nil || descended != nil else { return nil }
        self.init(ascended: ascended ?? 0, descended: descended ?? 0)
    }
}

extension Floors? {
    static func += (sum: inout Floors?, other: Floors?) {
        guard let other else { return }
        sum = Floors(
            ascended: (sum?.ascended ?? 0) &+ other.ascended, descended: (sum?.descended ?? 0) &+ other.descended)
    }

    static func -= (difference: inout Floors?, other: Floors?) {
        guard let other else { return }
        difference = Floors(
            ascended: (difference?.ascended ?? 0) &- other.ascended,
            descended: (difference?.descended ?? 0) &- other.descended)
    }

    /// The greater of each number.
    func raised(to other: Floors?) -> Floors? {
        guard let known = self, let other else { return self ?? other }
        return Floors(
            ascended: Swift.max(known.ascended, other.ascended), descended: Swift.max(known.descended, other.descended))
    }

    /// The floors as the bus says them.
    var counts: FloorCounts? {
        map { FloorCounts(ascended: UInt64(clamping: $0.ascended), descended: UInt64(clamping: $0.descended)) }
    }
}
