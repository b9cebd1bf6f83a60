/// How likely a cadence is right when the signal is this similar to itself a period ago: a line through a few points.
///
/// The points are the shares of right seconds by similarity, made monotone (isotonic regression, as Zadrozny & Elkan,
/// "Transforming classifier scores into accurate multiclass probability estimates", KDD 2002).
struct Calibration {
    /// Similarities that grow, and the share of right seconds at each.
    let points: [(strength: Float, probability: Float)]

    /// Steps: within 5 % of what switches in the shoes said.
    static let walking = Calibration(points: [(0.3, 0.65), (0.4, 0.78), (0.5, 0.9), (1, 0.92)])
    /// Pedalling felt on the body: within 5 rpm.
    static let riding = Calibration(points: [(0.1, 0.7), (0.25, 0.93), (0.4, 0.97), (1, 0.98)])
    /// The same of a cadence that is told before it is counted: the movement may be another's than a rider's.
    static let likelyRiding = Calibration(points: [(0.3, 0.5), (0.45, 0.7), (0.6, 0.8), (1, 0.85)])
    /// Pedalling felt at the frame or crank, simulated, when whole and half revolutions are told apart: within 5 rpm.
    static let bike = Calibration(points: [(0.05, 0.5), (0.15, 0.85), (0.3, 0.97), (0.5, 0.99), (1, 0.995)])

    func probability(strength: Float) -> Float {
        guard let first = points.first, strength > first.strength else {
            return points.first.map { max(strength, 0) / $0.strength * $0.probability } ?? 0
        }
        var lower = first
        for upper in points.dropFirst() {
            if strength <= upper.strength {
                let share = (strength - lower.strength) / (upper.strength - lower.strength)
                return lower.probability + (upper.probability - lower.probability) * share
            }
            lower = upper
        }
        return lower.probability
    }
}
