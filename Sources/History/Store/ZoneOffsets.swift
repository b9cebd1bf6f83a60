import Foundation
import Synchronization

/// The offset of a zone from UTC, and the times at which it changes.
///
/// Foundation answers "which offset at this instant"; days need "at which instants does the offset change". The steps
/// of a year are found once, by looking at every day and halving down to the second where two neighbours differ,
/// and kept.
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
    private let zone: TimeZone
    private let years = Mutex<[Int64: [Stretch]]>([:])

    static let maximumNameBytes = 64
    private static let secondsADay: Int64 = 86_400
    /// A "year" of the table is 366 days: it only has to tile.
    private static let secondsAYear: Int64 = 366 * secondsADay

    /// Takes a zone by its IANA name, such as `Europe/Berlin`.
    init(name: String) throws(DayCalendarError) {
        guard name.utf8.count <= Self.maximumNameBytes, name == "UTC" || name.contains("/"),
            let zone = TimeZone(identifier: name)
        else { throw .unknownZone(name) }
        self.name = name
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
        var found: [Stretch] = []
        var current = Stretch(startSeconds: start, endSeconds: end, offsetSeconds: offsetSeconds(at: start))
        for day in stride(from: start + Self.secondsADay, through: end - 1, by: Int(Self.secondsADay)) {
            let offset = offsetSeconds(at: day)
            guard offset != current.offsetSeconds else { continue }
            let change = firstSecond(after: day - Self.secondsADay, upTo: day, leaving: current.offsetSeconds)
            current.endSeconds = change
            found.append(current)
            current = Stretch(startSeconds: change, endSeconds: end, offsetSeconds: offset)
        }
        return found + lastDay(of: current, before: end)
    }

    /// The year's last day has no later neighbour inside the year, so it is looked at by its last second.
    private func lastDay(of stretch: Stretch, before end: Int64) -> [Stretch] {
        let offset = offsetSeconds(at: end - 1)
        guard offset != stretch.offsetSeconds else { return [stretch] }
        let from = max(stretch.startSeconds, end - Self.secondsADay)
        let change = firstSecond(after: from, upTo: end - 1, leaving: stretch.offsetSeconds)
        return [
            Stretch(
                startSeconds: stretch.startSeconds, endSeconds: change, offsetSeconds: stretch.offsetSeconds),
            Stretch(startSeconds: change, endSeconds: end, offsetSeconds: offset),
        ]
    }

    private func firstSecond(after low: Int64, upTo high: Int64, leaving offset: Int64) -> Int64 {
        var low = low
        var high = high
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offsetSeconds(at: middle) == offset { low = middle } else { high = middle }
        }
        return high
    }
}

/// Division that rounds towards minus infinity.
func floorDivide(_ dividend: Int64, _ divisor: Int64) -> Int64 {
    dividend >= 0 ? dividend / divisor : -((-dividend + divisor - 1) / divisor)
}
