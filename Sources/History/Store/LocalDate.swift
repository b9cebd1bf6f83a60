import Wire

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
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count == 4, parts[1].count == 2, parts[2].count == 2,
            text.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        let numbers = parts.map { $0.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } }
        self.init(year: numbers[0], month: numbers[1], day: numbers[2])
    }

    /// The date a number of days later (earlier if negative).
    package func advanced(by days: Int) -> LocalDate {
        let (sum, overflow) = dayNumber.addingReportingOverflow(days)
        return LocalDate(dayNumber: overflow ? (days > 0 ? Self.lastDayNumber : 0) : sum)
    }

    /// The Monday of this date's week (ISO 8601).
    package var startOfWeek: LocalDate {
        // 1970-01-01 was a Thursday, the fourth day of its week.
        advanced(by: -((dayNumber + 3) % 7))
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
