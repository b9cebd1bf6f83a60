import Foundation

/// UTC that only runs on: read once, then carried by the monotonic clock, so that a step of the machine's clock makes
/// nobody silent.
struct ServiceClock: Sendable {
    private let startMicroseconds: Int64
    private let start = ContinuousClock.now

    init() {
        startMicroseconds = Int64(Date().timeIntervalSince1970 * 1_000_000)
    }

    /// Microseconds since 1970.
    var microseconds: Int64 {
        let elapsed = start.duration(to: .now).components
        return startMicroseconds + elapsed.seconds * 1_000_000 + elapsed.attoseconds / 1_000_000_000_000
    }
}
