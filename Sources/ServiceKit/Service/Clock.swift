import Glibc

/// The time of day, UTC, by this machine's clock. It jumps when the clock is set.
package enum WallClock {
    /// Microseconds since 1970.
    @Sendable
    package static func microseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }

    /// Seconds since 1970.
    @Sendable
    package static func seconds() -> Double { Double(microseconds()) / 1e6 }
}

/// UTC that never jumps: read once, then carried on by the monotonic clock. For intervals such as "silent since", which
/// a step of the machine's clock must not end or prolong.
package struct SteadyClock: Sendable {
    private let startMicroseconds = WallClock.microseconds()
    private let start = ContinuousClock.now

    /// A clock that starts at the present time of day.
    package init() {}

    /// Microseconds since 1970.
    package var microseconds: Int64 {
        let elapsed = start.duration(to: .now).components
        return startMicroseconds + elapsed.seconds * 1_000_000 + elapsed.attoseconds / 1_000_000_000_000
    }
}
