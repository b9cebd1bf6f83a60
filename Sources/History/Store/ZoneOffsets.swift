import Foundation
import ServiceKit
package import Wire

/// The offset of a zone from UTC, and the times at which it changes, from 1970 to the end of the calendar.
final class ZoneOffsets: Sendable {
    /// A stretch of time with one offset.
    struct Stretch: Sendable, Equatable {
        /// The first second of the stretch, since 1970, UTC.
        var startSeconds: Int64
        /// The first second after it.
        var endSeconds: Int64
        /// Local time minus UTC, in seconds.
        var offsetSeconds: Int64
    }

    /// The IANA name.
    let name: String
    /// The day with which weeks begin in the zone's country.
    let weekStarts: WeekStart
    /// In order and without a gap; the first and the last go on beyond the calendar.
    private let stretches: [Stretch]

    /// Takes a zone by its IANA name, such as `Europe/Berlin`.
    init(name: String) throws(SettingError) {
        guard let zone = TimeZoneName.zone(name) else {
            let shown = name.prefix(TimeZoneName.maximumBytes)
            throw SettingError(
                key: "zone", problem: "is wrong: '\(shown)' is no time zone; use an IANA name such as Europe/Berlin")
        }
        func offset(at seconds: Int64) -> Int64 {
            Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
        }
        self.name = name
        weekStarts = .usual(inZone: name)
        var found = [Stretch(startSeconds: .min, endSeconds: .max, offsetSeconds: offset(at: 0))]
        var last: Int64 = 0
        while let next = zone.nextDaylightSavingTimeTransition(after: Date(timeIntervalSince1970: Double(last))),
            case let seconds = Int64(next.timeIntervalSince1970.rounded(.up)), last < seconds,
            seconds < DayCalendar.minutes.upperBound * 60
        {
            last = seconds
            let offset = offset(at: seconds)
            guard offset != found[found.count - 1].offsetSeconds else { continue }
            found[found.count - 1].endSeconds = seconds
            found.append(Stretch(startSeconds: seconds, endSeconds: .max, offsetSeconds: offset))
        }
        stretches = found
    }

    /// The stretches that touch `[startSeconds, endSeconds)`, in order.
    func stretches(from startSeconds: Int64, to endSeconds: Int64) -> ArraySlice<Stretch> {
        stretches[index(at: startSeconds)...index(at: max(startSeconds, endSeconds - 1))]
    }

    /// The stretch that has an instant.
    func stretch(at seconds: Int64) -> Stretch { stretches[index(at: seconds)] }

    private func index(at seconds: Int64) -> Int {
        stretches.firstIndex(fromWhere: { $0.startSeconds > seconds }) - 1
    }
}

extension WeekStart {
    /// The country of each zone, by the table that comes with the zones; empty where that is not installed.
    private static let countries: [String: String] = {
        let table = (try? String(contentsOfFile: "/usr/share/zoneinfo/zone.tab", encoding: .utf8)) ?? ""
        let rows = table.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.split(separator: "\t") }
        return Dictionary(rows.compactMap { $0.count > 2 ? ("\($0[2])", "\($0[0])") : nil }) { first, _ in first }
    }()

    /// The day with which weeks begin in the country of a zone; Monday where it is not known.
    package static func usual(inZone zone: String) -> WeekStart {
        guard let country = countries[zone] else { return .monday }
        return switch Locale(identifier: "und_\(country)").firstDayOfWeek {
        case .sunday: .sunday
        case .saturday: .saturday
        default: .monday
        }
    }
}
