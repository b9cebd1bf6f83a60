/// A walk whose steps come so unevenly that for a while no period is found: it goes on as long as feet are heard and
/// nothing else changes.
struct UnevenWalk {
    /// How much |a| and the whole movement changed while a period was found, m/s², root mean square.
    private var normDeviation: Float = 0
    private var vectorDeviation: Float = 0
    /// Evaluations since.
    private var evaluations = 0

    /// By how much the movement may change and be the same.
    private static let alike: ClosedRange<Float> = 0.7...1.4
    /// How quickly what is usual follows, an evaluation.
    private static let following: Float = 0.1
    /// For so many evaluations it may go on, 0.4 s each, and on an arm, which has work of its own.
    private static let mostEvaluations = 20
    private static let mostArmEvaluations = 10

    /// Begins with what moves when a bout opens.
    mutating func begin(_ features: SignalFeatures) {
        normDeviation = features.normDeviation
        vectorDeviation = features.vectorDeviation
        evaluations = 0
    }

    /// Takes what moves while the period is found.
    mutating func take(_ features: SignalFeatures) {
        normDeviation += (features.normDeviation - normDeviation) * Self.following
        vectorDeviation += (features.vectorDeviation - vectorDeviation) * Self.following
        evaluations = 0
    }

    /// How much |a| changed while a period was found, m/s²; 0 while one is.
    var usualNormDeviation: Float { evaluations > 0 ? normDeviation : 0 }

    /// Whether it goes on though no period is found.
    mutating func goesOn(_ features: SignalFeatures, isOnArm: Bool) -> Bool {
        guard evaluations < (isOnArm ? Self.mostArmEvaluations : Self.mostEvaluations),
            Self.alike.contains(features.normDeviation / max(normDeviation, 1e-3)),
            Self.alike.contains(features.vectorDeviation / max(vectorDeviation, 1e-3))
        else { return false }
        evaluations += 1
        return true
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&normDeviation)
        coder.code(&vectorDeviation)
        coder.code(&evaluations, in: 0...Self.mostEvaluations)
    }
}
