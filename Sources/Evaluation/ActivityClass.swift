/// What a recording is of, as far as counting is concerned.
public enum ActivityClass: String, Sendable, Hashable, CaseIterable {
    /// Walking: steps.
    case walk
    /// Running: steps.
    case run
    /// Pedalling: revolutions, and no steps.
    case bike
    /// Neither: no steps.
    case other

    private static let words: [(String, ActivityClass)] = [
        ("non-walk", .other), ("cycling", .bike), ("bike", .bike), ("biking", .bike), ("pedal", .bike),
        ("run", .run), ("jog", .run), ("walk", .walk), ("stairs", .walk), ("daily activities", .walk),
    ]

    /// The class whose word an index's free text contains; the first of a list that goes from particular to general. What
    /// is called a gait but made no step was none.
    public init(activity: String, trueSteps: Int?) {
        let text = activity.lowercased()
        let named = Self.words.first { text.contains($0.0) }?.1 ?? .other
        self = trueSteps == 0 && named != .bike ? .other : named
    }
}
