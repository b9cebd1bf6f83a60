import Synchronization

/// A clock that runs like the real one, but from a time of the test's choice.
final class TestClock: Sendable {
    private let origin: Mutex<(seconds: Double, at: ContinuousClock.Instant)>

    init(seconds: Double) {
        origin = Mutex((seconds, .now))
    }

    /// Goes on from another time.
    func set(_ seconds: Double) {
        origin.withLock { $0 = (seconds, .now) }
    }

    /// Seconds since 1970.
    var nowSeconds: @Sendable () -> Double {
        { [self] in
            origin.withLock { origin in
                let elapsed = origin.at.duration(to: .now).components
                return origin.seconds + Double(elapsed.seconds) + Double(elapsed.attoseconds) * 1e-18
            }
        }
    }
}
