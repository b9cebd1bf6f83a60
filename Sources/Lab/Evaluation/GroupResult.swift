/// The figures of one group of recordings.
public struct GroupResult: Sendable, Equatable {
    /// Which group.
    public let key: GroupKey
    /// Recordings in it.
    public let count: Int
    /// Absolute percentage errors of the recordings in which steps were made.
    public let stepErrors: ErrorDistribution?
    /// The mean of those errors a subject, from the best to the worst.
    public let subjectErrors: [Double]
    /// All steps counted in those over all that were made.
    public let totalRatio: Double?
    /// Steps counted a minute where none was made.
    public let falseStepsPerMinute: Double?
    /// How far the cadence was from the truth.
    public let cadence: CadenceError
    /// How evenly the true steps follow one another, where they have times.
    public let spacing: ContactSpacing
    /// The errors of those recordings, with the truth made even.
    public let evenStepErrors: ErrorDistribution?

    /// The figures of recordings that belong together.
    public init(key: GroupKey, results: [RecordingResult]) {
        self.key = key
        count = results.count
        stepErrors = ErrorDistribution(results.compactMap(\.absolutePercentageError))
        subjectErrors = Self.errorsBySubject(results)
        totalRatio = Self.ratio(results.filter { ($0.trueSteps ?? 0) > 0 })
        falseStepsPerMinute = Self.falseSteps(results.filter { $0.trueSteps == 0 })
        cadence = results.reduce(into: CadenceError()) { $0.add($1.cadence) }
        spacing = results.reduce(into: ContactSpacing()) { $0.add($1.spacing) }
        evenStepErrors = ErrorDistribution(results.compactMap(\.evenPercentageError))
    }

    /// Whether there is any truth to compare with.
    public var isMeasured: Bool {
        stepErrors != nil || falseStepsPerMinute != nil || !cadence.absoluteErrors.isEmpty
    }

    private static func errorsBySubject(_ results: [RecordingResult]) -> [Double] {
        Dictionary(grouping: results, by: \.subject)
            .compactMap { ErrorDistribution($0.value.compactMap(\.absolutePercentageError))?.mean }
            .sorted()
    }

    private static func ratio(_ results: [RecordingResult]) -> Double? {
        let truth = results.reduce(0) { $0 + ($1.trueSteps ?? 0) }
        guard truth > 0 else { return nil }
        return Double(results.reduce(0) { $0 + $1.steps }) / Double(truth)
    }

    private static func falseSteps(_ results: [RecordingResult]) -> Double? {
        let minutes = results.reduce(0) { $0 + $1.minutes }
        guard minutes > 0 else { return nil }
        return Double(results.reduce(0) { $0 + $1.steps }) / minutes
    }
}
