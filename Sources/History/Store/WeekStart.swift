import Foundation
package import Wire

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

extension LocalDate {
    /// The first day of this date's week.
    package func startOfWeek(from start: WeekStart) -> LocalDate {
        // 1970-01-01 was a Thursday.
        let daysBefore = [WeekStart.monday: 3, .sunday: 4, .saturday: 5][start] ?? 3
        return advanced(by: -((dayNumber + daysBefore) % 7))
    }
}
