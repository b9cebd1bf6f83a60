public import Wire

/// The recordings whose results belong together: of one source, one place on the body, one kind of activity and one
/// half of the subjects.
///
/// Sources differ in how their truth came about, and placements in how hard they are, so nothing is pooled over them.
public struct GroupKey: Sendable, Hashable, Comparable {
    /// The folder that the recordings lie in.
    public let folder: String
    /// Where the sensor sat.
    public let placement: SensorPlacement
    /// What was done.
    public let activity: ActivityClass
    /// Whether thresholds may have been chosen with it.
    public let half: SubjectHalf

    /// A key from its parts.
    public init(
        folder: String, placement: SensorPlacement, activity: ActivityClass, half: SubjectHalf = .tuning
    ) {
        self.folder = folder
        self.placement = placement
        self.activity = activity
        self.half = half
    }

    /// The key of a recording; sampled otherwise than it was recorded, it is of a source of its own.
    public init(_ entry: RecordingIndex.Entry, sampling: SlowSampling? = nil) {
        self.init(
            folder: entry.group + (sampling.map { " at \(DecimalText.fixed($0.rateHz, decimals: 1)) Hz" } ?? ""),
            placement: entry.placementKeyword,
            activity: ActivityClass(activity: entry.activity, trueSteps: entry.trueSteps),
            half: SubjectHalf(subject: entry.subject))
    }

    /// By folder, then activity, then placement, then half.
    public static func < (left: GroupKey, right: GroupKey) -> Bool {
        (left.folder, left.activity.rawValue, left.placement.rawValue, left.half)
            < (right.folder, right.activity.rawValue, right.placement.rawValue, right.half)
    }
}
