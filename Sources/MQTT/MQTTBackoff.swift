/// How long to wait between attempts to connect: doubled each time, capped, and jittered so that many clients do not
/// come back at one moment ("Exponential Backoff And Jitter", AWS Architecture Blog, 2015: equal jitter).
public struct MQTTBackoff: Sendable, Hashable {
    /// The first wait, in seconds.
    public var minimumSeconds: Double
    /// The longest wait, in seconds.
    public var maximumSeconds: Double

    /// A back-off between these bounds.
    public init(minimumSeconds: Double = 0.1, maximumSeconds: Double = 5) {
        self.minimumSeconds = minimumSeconds
        self.maximumSeconds = maximumSeconds
    }

    /// The wait before an attempt.
    ///
    /// - Parameters:
    ///   - failures: attempts that failed since the last good connection, from 1.
    ///   - random: uniform in 0..<1.
    /// - Returns: seconds, in [half of the doubled minimum, the doubled minimum], at most ``maximumSeconds``.
    public func seconds(afterFailures failures: Int, random: Double) -> Double {
        let doublings = min(max(failures, 1), 31) - 1
        var ceiling = minimumSeconds
        for _ in 0..<doublings where ceiling < maximumSeconds { ceiling *= 2 }
        ceiling = min(max(ceiling, 0), max(maximumSeconds, 0))
        return ceiling * (0.5 + 0.5 * (random > 0 ? min(random, 1) : 0))
    }
}
