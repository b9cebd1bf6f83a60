package import Foundation
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

    package init() {}

    /// Microseconds since 1970.
    package var microseconds: Int64 {
        let elapsed = start.duration(to: .now).components
        return startMicroseconds + elapsed.seconds * 1_000_000 + elapsed.attoseconds / 1_000_000_000_000
    }
}

/// The names of time zones that a config may have.
package enum TimeZoneName {
    package static let maximumBytes = 64

    /// Names of the tz database without a region: old zones, and links to newer names. Source: its files `etcetera` and
    /// `backward`.
    private static let withoutRegion: Set<String> = [
        "CET", "CST6CDT", "Cuba", "EET", "EST", "EST5EDT", "Egypt", "Eire", "GB", "GB-Eire", "GMT", "GMT+0", "GMT-0",
        "GMT0", "Greenwich", "HST", "Hongkong", "Iceland", "Iran", "Israel", "Jamaica", "Japan", "Kwajalein", "Libya",
        "MET", "MST", "MST7MDT", "NZ", "NZ-CHAT", "Navajo", "PRC", "PST8PDT", "Poland", "Portugal", "ROC", "ROK",
        "Singapore", "Turkey", "UCT", "UTC", "Universal", "W-SU", "WET", "Zulu",
    ]

    /// The names that this machine has rules for, in order.
    package static var known: [String] {
        withoutRegion.union(TimeZone.knownTimeZoneIdentifiers).filter { zone($0) != nil }.sorted()
    }

    /// The zone of a name; `nil` for one that the tz database does not have. Abbreviations such as PST are none.
    package static func zone(_ name: String) -> TimeZone? {
        guard name.utf8.count <= maximumBytes, name.contains("/") || withoutRegion.contains(name) else { return nil }
        return TimeZone(identifier: name)
    }
}
