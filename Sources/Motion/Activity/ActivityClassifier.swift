/// Names what the wearer is doing, slowly enough not to flicker.
struct ActivityClassifier {
    private(set) var activity: Activity = .unknown
    private(set) var confidence: ActivityConfidence = .low
    private var candidate: Activity = .unknown
    /// Evaluations (0.4 s) for which the candidate and the activity have held.
    private var candidateCount = 0
    private var heldCount = 0

    /// Evaluations before a class is believed: 2 s walking, 5 s cycling, 60 s in a vehicle.
    private static func patience(_ activity: Activity) -> Int {
        switch activity {
        case .walking, .running: 1
        case .cycling: 2
        case .automotive: 150
        case .stationary: 4
        case .unknown: 5
        }
    }

    /// Takes what moves, and the steps a second or nil where none are made.
    @inline(__always)
    mutating func evaluate(features: SignalFeatures, stepRate: Float?, isPedalling: Bool) {
        let now = classify(features, stepRate, isPedalling)
        candidateCount = now == candidate ? min(candidateCount + 1, 10_000) : 1
        candidate = now
        if candidate == activity {
            heldCount = min(heldCount + 1, 10_000)
        } else if candidateCount >= Self.patience(candidate) {
            activity = candidate
            heldCount = candidateCount
        }
        confidence = heldCount >= 25 ? .high : heldCount >= 8 ? .medium : .low
    }

    @inline(__always)
    private func classify(_ features: SignalFeatures, _ stepRate: Float?, _ isPedalling: Bool) -> Activity {
        if let stepRate {
            return stepRate > 140 / 60 && features.normDeviation > 3.5 ? .running : .walking
        }
        if isPedalling { return .cycling }
        if features.shortVectorDeviation < 0.15, features.shortTurningDeviation < 0.03 { return .stationary }
        if features.roughness > 1.2, (0.1...1.5).contains(features.vectorDeviation) { return .automotive }
        return .unknown
    }

    mutating func reset() {
        self = ActivityClassifier()
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&activity)
        coder.code(&confidence)
        coder.code(&candidate)
        coder.code(&candidateCount, in: 0...10_000)
        coder.code(&heldCount, in: 0...10_000)
    }
}
