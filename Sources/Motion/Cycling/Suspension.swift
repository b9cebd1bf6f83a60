/// What happens between a stop that may have been noise and the proof that pedalling goes on.
struct Suspension {
    /// The mean coherence over the similarity above which nobody had stopped.
    private static let pedalledShare: Float = 0.6
    private static let limit = 1000

    private(set) var isSuspended = false
    private var evaluations = 0
    private var coherenceSum: Float = 0

    mutating func begin() {
        isSuspended = true
        evaluations = 0
        coherenceSum = 0
    }

    /// Takes the coherence of an evaluation.
    mutating func push(_ coherence: Float) {
        guard isSuspended, evaluations < Self.limit else { return }
        evaluations += 1
        coherenceSum += coherence
    }

    mutating func end() {
        isSuspended = false
    }

    /// Whether the signal went on repeating itself all the while.
    func wasPedalled(strength: Float) -> Bool {
        coherenceSum > Self.pedalledShare * strength * Float(evaluations)
    }

    /// About how many periods ago pedalling went on, when that has just been proven: one until a period can repeat, one
    /// that the coherence lags, and those of the proof.
    func periodsSinceResumed(_ strength: Float) -> Float {
        2 + RevolutionGate.openingEvidence / max(strength, 0.3)
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&isSuspended)
        coder.code(&evaluations, in: 0...Self.limit)
        coder.code(&coherenceSum)
    }
}
