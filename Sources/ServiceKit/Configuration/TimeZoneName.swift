package import Foundation

/// The names of time zones that a config may have.
package enum TimeZoneName {
    /// The longest name, in bytes.
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
