import Foundation
import ServiceKit
import Synchronization
package import Wire

/// The offset of a zone from UTC, and the times at which it changes. The changes of a year are found once, and kept.
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
    private let zone: TimeZone
    private let years = Mutex<[Int64: [Stretch]]>([:])

    /// A "year" of the table is 366 days: it only has to tile.
    private static let secondsAYear: Int64 = 366 * 86_400

    /// Takes a zone by its IANA name, such as `Europe/Berlin`.
    init(name: String) throws(DayCalendarError) {
        guard let zone = TimeZoneName.zone(name) else { throw .unknownZone(name) }
        self.name = name
        weekStarts = .usual(inZone: name)
        self.zone = zone
    }

    /// The stretches that touch `[startSeconds, endSeconds)`, in order, without a gap between them.
    func stretches(from startSeconds: Int64, to endSeconds: Int64) -> [Stretch] {
        let first = floorDivide(startSeconds, Self.secondsAYear)
        let last = floorDivide(max(startSeconds, endSeconds - 1), Self.secondsAYear)
        var found: [Stretch] = []
        for year in first...last {
            found += stretches(ofYear: year).filter { $0.endSeconds > startSeconds && $0.startSeconds < endSeconds }
        }
        return found
    }

    /// Local time minus UTC at an instant, in seconds.
    func offsetSeconds(at seconds: Int64) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
    }

    private func stretches(ofYear year: Int64) -> [Stretch] {
        years.withLock { years in
            if let known = years[year] { return known }
            let found = search(from: year * Self.secondsAYear, to: (year + 1) * Self.secondsAYear)
            years[year] = found
            return found
        }
    }

    private func search(from start: Int64, to end: Int64) -> [Stretch] {
        var found = [Stretch(startSeconds: start, endSeconds: end, offsetSeconds: offsetSeconds(at: start))]
        var last = start
        while let next = zone.nextDaylightSavingTimeTransition(after: Date(timeIntervalSince1970: Double(last))),
            case let seconds = Int64(next.timeIntervalSince1970.rounded(.up)), last < seconds, seconds < end
        {
            last = seconds
            let offset = offsetSeconds(at: seconds)
            guard offset != found[found.count - 1].offsetSeconds else { continue }
            found[found.count - 1].endSeconds = seconds
            found.append(Stretch(startSeconds: seconds, endSeconds: end, offsetSeconds: offset))
        }
        return found
    }
}

/// Division that rounds towards minus infinity.
func floorDivide(_ dividend: Int64, _ divisor: Int64) -> Int64 {
    dividend >= 0 ? dividend / divisor : -((-dividend + divisor - 1) / divisor)
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
