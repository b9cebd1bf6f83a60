/// The thresholds by which a run is known.
enum RunThresholds {
    /// A change of |a| that only running makes, m/s².
    static let normDeviation: Float = 3
    /// Steps a second above which a strong change of |a| is running whatever the arms do.
    static let rate: Float = 2.2
    /// Steps a second above which only running goes, and the least change of |a| it makes, m/s².
    static let fastRate: Float = 2.7
    static let fastNormDeviation: Float = 2.5
    /// The most steps a second of which a swing may be two.
    static let fastestRate: Float = 3.9
    /// A movement, m/s², that only running makes: steps of less than 2.2 a second are then strides.
    static let vectorDeviation: Float = 11
    /// A change of |a|, m/s², that only a body makes which falls freely between two steps.
    static let flightNormDeviation: Float = 5
    /// The share of |a| in the movement of a runner whose arms hardly swing; a hand that shakes something as hard has
    /// less, as it turns.
    static let stiffArmShare: Float = 0.72
}
