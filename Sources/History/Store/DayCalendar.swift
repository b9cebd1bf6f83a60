package import ServiceKit
import Synchronization
package import Wire

/// The local days of one zone, for people whose day begins at midnight or later: which minutes of UTC a date has.
///
/// A date begins at the first instant at which local time has reached its start. Hence days of 23, 24 and 25 hours,
/// a day without a midnight (clocks go forward at 24:00), one whose last hour comes twice, and even the date that
/// Samoa left out in 2011 (a day without minutes): all tile the time axis, with no minute in two days. Ranges are
/// half-open and in minutes since 1970, UTC.
package struct DayCalendar: Sendable, Equatable {
    /// When a day begins, in minutes after local midnight.
    package let dayStartMinutes: Int
    let offsets: ZoneOffsets
    /// The day with which weeks begin, where somebody wants another one than the country of the zone has.
    var chosenWeekStart: WeekStart?
    var weekStarts: WeekStart { chosenWeekStart ?? offsets.weekStarts }

    /// The latest start of a day, in minutes after midnight.
    static let maximumDayStartMinutes = 1439
    /// The minutes of UTC that history keeps: the years of `LocalDate`.
    package static let minutes: Range<Int64> = 0..<Int64(LocalDate(dayNumber: .max).dayNumber) * 1440

    /// The minutes that can have counts: from 2001, because an earlier clock of a device is wrong, to a week before the
    /// end of the calendar, so that the whole local day of each minute lies within it.
    static let countedMinutes: Range<Int64> = 16_305_120..<minutes.upperBound - 7 * 1440

    /// The days of a zone.
    /// - Parameters:
    ///   - zone: The zone's IANA name, such as `Europe/Berlin`, or `UTC`.
    ///   - dayStartMinutes: Minutes after midnight at which a day begins, `0 ... maximumDayStartMinutes`.
    /// - Throws: `SettingError` for an unknown zone.
    package init(zone: String, dayStartMinutes: Int = 0) throws(SettingError) {
        offsets = try Self.offsets(of: zone)
        self.dayStartMinutes = min(max(0, dayStartMinutes), Self.maximumDayStartMinutes)
    }

    package static func == (one: DayCalendar, other: DayCalendar) -> Bool {
        one.zone == other.zone && one.dayStartMinutes == other.dayStartMinutes
    }

    /// The zone's IANA name.
    package var zone: String { offsets.name }

    /// The offset from UTC in 1970, and each time at which it changes, with the offset from then on; in seconds.
    package func changes(untilSeconds end: Int64) -> [(seconds: Int64, offsetSeconds: Int64)] {
        offsets.stretches(from: 0, to: end).map { (max(0, $0.startSeconds), $0.offsetSeconds) }
    }

    package func minutes(of date: LocalDate) -> Range<Int64> {
        let start = startMinute(ofDayNumber: Int64(date.dayNumber))
        return start..<max(start, startMinute(ofDayNumber: Int64(date.dayNumber) + 1))
    }

    package func startMinute(of date: LocalDate) -> Int64 { startMinute(ofDayNumber: Int64(date.dayNumber)) }

    /// The date that a minute belongs to; minutes outside `DayCalendar.minutes` are held within it.
    package func date(ofMinute minute: Int64) -> LocalDate {
        let minute = min(max(minute, Self.minutes.lowerBound), Self.minutes.upperBound - 1)
        let local = minute + floorDivide(offsets.stretch(at: minute * 60).offsetSeconds, 60) - Int64(dayStartMinutes)
        var day = floorDivide(local, 1440)
        while startMinute(ofDayNumber: day) > minute { day -= 1 }
        while startMinute(ofDayNumber: day + 1) <= minute { day += 1 }
        return LocalDate(dayNumber: Int(day))
    }

    /// The first minute whose local time has reached the day's start. A step of the offset that is no whole minute
    /// (some zones before 1973) is rounded up.
    private func startMinute(ofDayNumber day: Int64) -> Int64 {
        let local = (day * 1440 + Int64(dayStartMinutes)) * 60
        // No zone is further than 26 hours from UTC, and no step of an offset larger than a day.
        let reach: Int64 = 52 * 3600
        for stretch in offsets.stretches(from: local - reach, to: local + reach) {
            let reached = max(stretch.startSeconds, local - stretch.offsetSeconds)
            if reached < stretch.endSeconds { return floorDivide(reached + 59, 60) }
        }
        return day * 1440
    }
}

extension DayCalendar {
    /// The zones that were asked for. Foundation takes a name in several spellings, so there is a limit.
    private static let known = Mutex<[String: ZoneOffsets]>([:])

    private static let maximumKnownZones = 1000

    private static func offsets(of zone: String) throws(SettingError) -> ZoneOffsets {
        if let offsets = known.withLock({ $0[zone] }) { return offsets }
        let offsets = try ZoneOffsets(name: zone)
        return known.withLock { known in
            if let kept = known[zone] { return kept }
            if known.count < maximumKnownZones { known[zone] = offsets }
            return offsets
        }
    }
}

extension DayCalendar {
    /// The calendar of a device, from its settings. A zone was checked when it came; one that the time zone database
    /// has lost since then falls back to the default.
    init(_ settings: DeviceSettings, defaultZone: DayCalendar) {
        let zone = settings.zone ?? defaultZone.zone
        let start = settings.dayStartMinutes
        self = (try? DayCalendar(zone: zone, dayStartMinutes: start)) ?? defaultZone
    }
}

// MARK: - Buckets and hours

extension DayCalendar {
    /// The bucket that a minute is in. Buckets of one width tile the time axis, as days do.
    package func bucket(_ width: Bucket, containing minute: Int64) -> Range<Int64> {
        switch width {
        case .minute: return minute..<minute + 1
        case .hour: return hour(containing: minute)
        case .day: return minutes(of: date(ofMinute: minute))
        case .week:
            let first = date(ofMinute: minute).startOfWeek(from: weekStarts)
            return startMinute(of: first)..<startMinute(of: first.advanced(by: 7))
        case .month:
            let date = date(ofMinute: minute)
            return startMinute(of: date.startOfMonth)..<startMinute(of: date.startOfNextMonth)
        }
    }

    /// The buckets that tile a range, in order; the first and the last are cut to the range.
    /// - Returns: At most `limit` buckets; the next page begins at the end of the last one.
    package func buckets(_ width: Bucket, in range: Range<Int64>, limit: Int) -> [Range<Int64>] {
        var found: [Range<Int64>] = []
        var minute = range.lowerBound
        while minute < range.upperBound, found.count < limit {
            let end = max(minute + 1, bucket(width, containing: minute).upperBound)
            found.append(minute..<min(end, range.upperBound))
            minute = min(end, range.upperBound)
        }
        return found
    }

    /// Hours begin where the local clock shows a full hour, which is not where UTC does in Kathmandu. A step of the
    /// offset by half an hour ends one early.
    private func hour(containing minute: Int64) -> Range<Int64> {
        let stretch = offsets.stretch(at: minute * 60)
        let offset = floorDivide(stretch.offsetSeconds, 60)
        let start = floorDivide(minute + offset, 60) * 60 - offset
        func end(_ seconds: Int64) -> Int64 { floorDivide(min(max(seconds, start * 60), (start + 60) * 60) + 59, 60) }
        return end(stretch.startSeconds)..<end(stretch.endSeconds)
    }
}

/// A date on a wall calendar, without a time and without a zone: `2026-11-20`.
///
/// It is kept as the number of days since 1970-01-01 (`CivilDate`), so that the next day is one more.
package struct LocalDate: Hashable, Sendable, Comparable {
    /// Days since 1970-01-01.
    package let dayNumber: Int

    /// The years that history keeps, both included. Bounded so that arithmetic on dates cannot overflow.
    package static let years = 1970...2199

    /// A date from the number of days since 1970-01-01, held within `years`.
    package init(dayNumber: Int) {
        self.dayNumber = min(max(dayNumber, 0), Self.lastDayNumber)
    }

    /// A date from year, month 1…12 and day 1…31; nil for one that no calendar has, or outside `years`.
    package init?(year: Int, month: Int, day: Int) {
        guard Self.years.contains(year), (1...12).contains(month),
            (1...CivilDate.daysInMonth(year: year, month: month)).contains(day)
        else { return nil }
        dayNumber = CivilDate.days(year: year, month: month, day: day)
    }

    /// A date from `YYYY-MM-DD`; nil for anything else.
    package init?(_ text: some StringProtocol) {
        guard case .localDate(let year, let month, let day)? = try? TimePoint(parsing: String(text)) else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The date a number of days later (earlier if negative).
    package func advanced(by days: Int) -> LocalDate {
        let (sum, overflow) = dayNumber.addingReportingOverflow(days)
        return LocalDate(dayNumber: overflow ? (days > 0 ? Self.lastDayNumber : 0) : sum)
    }

    /// The first day of this date's week.
    package func startOfWeek(from start: WeekStart) -> LocalDate {
        // 1970-01-01 was a Thursday.
        let daysBefore =
            switch start {
            case .monday: 3
            case .sunday: 4
            case .saturday: 5
            }
        return advanced(by: -((dayNumber + daysBefore) % 7))
    }

    /// The first day of this date's month.
    var startOfMonth: LocalDate { advanced(by: 1 - components.day) }

    /// The first day of the month after this date's.
    package var startOfNextMonth: LocalDate {
        let (year, month, _) = components
        return startOfMonth.advanced(by: CivilDate.daysInMonth(year: year, month: month))
    }

    /// Dates sort by time.
    package static func < (lhs: LocalDate, rhs: LocalDate) -> Bool { lhs.dayNumber < rhs.dayNumber }

    private static let lastDayNumber = CivilDate.days(year: years.upperBound, month: 12, day: 31)
}

extension LocalDate {
    /// The dates among which is that of a minute and those of the days around it, in whatever zone.
    static func dates(near minute: Int64) -> Range<LocalDate> {
        let date = LocalDate(ofMinute: minute)
        // Two more than the reach of a day, because that is counted from the date in the device's own zone.
        return date.advanced(by: -DayAggregator.reachDays - 2)..<date.advanced(by: DayAggregator.reachDays + 3)
    }

    /// The date of a minute in UTC.
    package init(ofMinute minute: Int64) { self.init(dayNumber: Int(clamping: floorDivide(minute, 1440))) }

    package var components: (year: Int, month: Int, day: Int) { CivilDate.date(days: dayNumber) }
}

extension LocalDate: CustomStringConvertible {
    /// `YYYY-MM-DD`.
    package var description: String {
        let (year, month, day) = components
        return CivilDate.text(year: year, month: month, day: day)
    }
}
