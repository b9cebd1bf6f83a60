/// The thresholds of the step counter. Starting points were published walking features; tuned on recordings, cross-validated.
enum StepGate {
    /// Similarity at the period that opens the gate, and that keeps it open.
    static let openingStrength: Float = 0.40
    static let closingStrength: Float = 0.30
    /// Evaluations (0.4 s each) that must agree on the period before it opens.
    static let openingEvaluations = 4
    /// How far two rates may be apart and still agree.
    static let agreement: Float = 0.15
    /// Least movement, m/s².
    static let vectorDeviation: Float = 0.35
    /// Least change of |a|, m/s²: turning the wrist does not change |a|, a footfall does.
    static let normDeviation: Float = 0.7
    /// Least share of |a| in the movement.
    static let normShare: Float = 0.45
    /// A change of |a| that only running makes, m/s².
    static let runningNormDeviation: Float = 3
    /// Movement of the last moments over that of the last seconds, under which the walk has stopped.
    static let stopShare: Float = 0.5
    /// On a leg: footfalls are rougher than pedalling.
    static let legRoughness: Float = 0.8
    /// Steps are integrated this long after they happened, so that nothing must be taken back: 1.2 s.
    static let delayMicroseconds: Int64 = 1_200_000
    /// Periods searched, in ticks: 0.28…2.2 s.
    static let lags = 7...55
    /// Steps a second that are believed.
    static let rates: ClosedRange<Float> = 0.45...4.2
}
