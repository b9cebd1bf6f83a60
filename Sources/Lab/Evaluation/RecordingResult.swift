import Wire

/// The counts of a recording beside the truth.
package struct RecordingResult: Sendable {
    /// The file, relative to the folder.
    let file: String
    /// The subject of the recording, or its capture date.
    var subject = ""
    let key: GroupKey
    /// Time for which samples exist, in minutes.
    let minutes: Double
    /// Steps made; nil where it is unknown.
    let trueSteps: Int?
    let steps: Int
    var revolutions = 0
    var cadence = CadenceError()
    /// The share of right step cadences at each confidence.
    var stepConfidence = ConfidenceTally()
    /// The same of the cadence of pedalling.
    var rideConfidence = ConfidenceTally()
    var activities = ActivityTally()

    /// |counted − true| / true in percent; nil where no step was made or the truth is unknown.
    var absolutePercentageError: Double? {
        guard let trueSteps, trueSteps > 0 else { return nil }
        return 100 * abs(Double(steps) - Double(trueSteps)) / Double(trueSteps)
    }
}

/// The figures of one group of recordings.
struct GroupResult: Sendable {
    let key: GroupKey
    let count: Int
    /// Absolute percentage errors of the recordings in which steps were made.
    let stepErrors: ErrorDistribution?
    /// The mean of those errors a subject, from the best to the worst.
    let subjectErrors: [Double]
    /// All steps counted in those over all that were made.
    let totalRatio: Double?
    /// Steps counted a minute where none was made.
    let falseStepsPerMinute: Double?
    let cadence: CadenceError

    init(key: GroupKey, results: [RecordingResult]) {
        self.key = key
        count = results.count
        stepErrors = ErrorDistribution(results.compactMap(\.absolutePercentageError))
        subjectErrors = Dictionary(grouping: results, by: \.subject)
            .compactMap { ErrorDistribution($0.value.compactMap(\.absolutePercentageError))?.mean }.sorted()
        func ratio(_ results: [RecordingResult], _ whole: (RecordingResult) -> Double) -> Double? {
            let sum = results.reduce(0) { $0 + whole($1) }
            return sum > 0 ? Double(results.reduce(0) { $0 + $1.steps }) / sum : nil
        }
        totalRatio = ratio(results.filter { $0.trueSteps ?? 0 > 0 }) { Double($0.trueSteps ?? 0) }
        falseStepsPerMinute = ratio(results.filter { $0.trueSteps == 0 }, \.minutes)
        cadence = results.reduce(into: CadenceError()) { $0.add($1.cadence) }
    }

    /// True if there is any truth to compare with.
    var isMeasured: Bool {
        stepErrors != nil || falseStepsPerMinute != nil || !cadence.absoluteErrors.isEmpty
    }
}

/// The recordings whose results belong together: of one source, one place on the body and one kind of activity.
///
/// Sources differ in how their truth came about, and placements in how hard they are, so nothing is pooled over them.
struct GroupKey: Sendable, Hashable, Comparable {
    /// The folder that the recordings lie in.
    let folder: String
    let placement: SensorPlacement
    let activity: ActivityClass

    /// By folder, then activity, then placement.
    static func < (left: GroupKey, right: GroupKey) -> Bool {
        (left.folder, left.activity.rawValue, left.placement.rawValue)
            < (right.folder, right.activity.rawValue, right.placement.rawValue)
    }
}

extension GroupKey {
    init(_ entry: RecordingIndex.Entry) {
        self.init(
            folder: entry.group, placement: entry.placementKeyword,
            activity: ActivityClass(activity: entry.activity, trueSteps: entry.trueSteps))
    }
}

/// The class of a recording's activity, as far as counting is concerned.
enum ActivityClass: String, Sendable, Hashable, CaseIterable {
    case walk
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
    init(activity: String, trueSteps: Int?) {
        let text = activity.lowercased()
        let named = Self.words.first { text.contains($0.0) }?.1 ?? .other
        self = trueSteps == 0 && (named == .walk || named == .run) ? .other : named
    }
}
