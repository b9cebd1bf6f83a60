/// How long history keeps minutes. Hours and days are kept for ever.
public struct Retention: Sendable, Equatable {
    /// For how many days minutes are kept.
    public let days: Int

    /// What is kept where nobody says how long.
    public static let defaultDays = 400
    /// The least: as long as a phone keeps its own.
    public static let minimumDays = 7
    /// The most.
    public static let maximumDays = 36_500

    /// Keeps minutes for so many days; nil for a number outside the limits.
    public init?(days: Int) {
        guard (Self.minimumDays...Self.maximumDays).contains(days) else { return nil }
        self.days = days
    }

    private init() { days = Self.defaultDays }

    /// What is kept where nobody says how long.
    public static let usual = Retention()

    /// The minute before which minutes become hours.
    public func horizon(nowMinute: Int64) -> Int64 { nowMinute - Int64(days) * 1440 }
}
