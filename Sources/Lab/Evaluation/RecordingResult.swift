/// What was counted in a recording, beside what is true.
public struct RecordingResult: Sendable, Equatable {
    /// The file, relative to the folder.
    public let file: String
    /// Whose recording it is, or its capture date.
    public let subject: String
    /// The group it belongs to.
    public let key: GroupKey
    /// Time for which samples exist, in minutes.
    public let minutes: Double
    /// Steps made; nil where nobody knows.
    public let trueSteps: Int?
    /// Steps counted.
    public let steps: Int
    /// Revolutions counted.
    public let revolutions: Int
    /// How far the cadence was from the truth.
    public let cadence: CadenceError
    /// Whether it was counted as another watch would have made it.
    public let isResampled: Bool
    /// How what was recorded was varied; nil where it was not.
    public let variation: Variation?
    /// How often the cadence of steps was right at each confidence.
    public let stepConfidence: ConfidenceTally
    /// The same of the cadence of pedalling.
    public let rideConfidence: ConfidenceTally
    /// What was told of the activity.
    public let activities: ActivityTally
    /// How evenly the true steps follow one another, where each has its time.
    public let spacing: ContactSpacing

    /// A result from its parts.
    public init(
        file: String, subject: String = "", key: GroupKey, minutes: Double, trueSteps: Int?, steps: Int,
        revolutions: Int = 0, cadence: CadenceError = CadenceError(), isResampled: Bool = false,
        variation: Variation? = nil, stepConfidence: ConfidenceTally = ConfidenceTally(),
        rideConfidence: ConfidenceTally = ConfidenceTally(), activities: ActivityTally = ActivityTally(),
        spacing: ContactSpacing = ContactSpacing()
    ) {
        self.file = file
        self.subject = subject
        self.key = key
        self.minutes = minutes
        self.trueSteps = trueSteps
        self.steps = steps
        self.revolutions = revolutions
        self.cadence = cadence
        self.isResampled = isResampled
        self.variation = variation
        self.stepConfidence = stepConfidence
        self.rideConfidence = rideConfidence
        self.activities = activities
        self.spacing = spacing
    }

    /// |counted − true| / true in percent; nil where no step was made or nobody knows.
    public var absolutePercentageError: Double? { percentageError(of: trueSteps) }

    /// The same with contacts that came too soon taken off the truth, and one added to it where one came too late; nil
    /// too where the contacts have no times.
    public var evenPercentageError: Double? {
        spacing.count > 0 ? percentageError(of: trueSteps.map { $0 - spacing.near + spacing.far }) : nil
    }

    private func percentageError(of truth: Int?) -> Double? {
        guard let truth, truth > 0 else { return nil }
        return 100 * abs(Double(steps) - Double(truth)) / Double(truth)
    }
}
