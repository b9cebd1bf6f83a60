/// What makes a simulated ride hard to count: how a bike's frame answers the pedals.
public struct RideConditions: Sendable, Hashable {
    /// Amplitude at twice the crank's rate over the amplitude at the crank's rate: both legs push.
    public let secondToFirstRatio: Double
    /// Root mean square of the pedalling signal over that of everything without a period.
    public let signalToNoise: Double

    /// Conditions from their parts.
    public init(secondToFirstRatio: Double, signalToNoise: Double) {
        self.secondToFirstRatio = secondToFirstRatio
        self.signalToNoise = signalToNoise
    }

    /// From easy to hopeless.
    public static let all = [3, 1, 0.5].flatMap { noise in
        [1, 2.5, 5, 10].map { RideConditions(secondToFirstRatio: $0, signalToNoise: noise) }
    }
}
