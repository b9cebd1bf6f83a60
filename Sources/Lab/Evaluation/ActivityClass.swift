/// What a recording is of, as far as counting is concerned.
public enum ActivityClass: String, Sendable, Hashable, CaseIterable {
    /// Walking: steps.
    case walk
    /// Running: steps.
    case run
    /// Pedalling: revolutions, and no steps.
    case bike
    /// In a vehicle: no steps, nor any of what follows.
    case vehicle
    /// At rest, but for what a hand does in between.
    case still
    /// A movement that is repeated, of an arm or in place.
    case gesture
    /// Anything else.
    case other

    private static let words: [(String, ActivityClass)] = [
        ("non-walk", .other), ("cycling", .bike), ("bike", .bike), ("biking", .bike), ("pedal", .bike),
        ("ergometer", .bike), ("run", .run), ("jog", .run), ("sprint", .run), ("walk", .walk), ("stairs", .walk),
        ("gait", .walk), ("hik", .walk), ("daily activities", .walk), ("driv", .vehicle), ("vehicle", .vehicle),
        ("by car", .vehicle), ("by bus", .vehicle), ("by train", .vehicle), ("tram", .vehicle), ("still", .still),
        ("stationary", .still), ("sitting", .still), ("standing", .still), ("lying", .still), ("gesture", .gesture),
        ("exercise", .gesture), ("shaking", .gesture), ("squat", .gesture), ("clap", .gesture), ("typing", .gesture),
        ("drinking", .gesture),
    ]

    /// The class whose word an index's free text contains; the first of a list that goes from particular to general.
    /// What is called a gait but made no step was none.
    public init(activity: String, trueSteps: Int?) {
        let text = activity.lowercased()
        let named = Self.words.first { text.contains($0.0) }?.1 ?? .other
        self = trueSteps == 0 && (named == .walk || named == .run) ? .other : named
    }
}
