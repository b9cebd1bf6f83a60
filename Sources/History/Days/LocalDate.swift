/// A date on a wall calendar, without a time and without a zone: `2026-11-20`.
///
/// It is kept as the number of days since 1970-01-01, so that the next day is `+ 1`. The conversion is the one of
/// H. Hinnant, "chrono-Compatible Low-Level Date Algorithms" (`days_from_civil`, `civil_from_days`): proleptic
/// Gregorian, integers only.
public struct LocalDate: Hashable, Sendable, Comparable {
    /// Days since 1970-01-01.
    public let dayNumber: Int

    /// The years that history keeps, both included. Bounded so that arithmetic on dates cannot overflow.
    public static let years = 1970...2199

    /// A date from the number of days since 1970-01-01, held within `years`.
    public init(dayNumber: Int) {
        self.dayNumber = min(max(dayNumber, 0), Self.lastDayNumber)
    }

    /// A date from year, month 1…12 and day 1…31; nil for one that no calendar has, or outside `years`.
    public init?(year: Int, month: Int, day: Int) {
        guard Self.years.contains(year), (1...12).contains(month),
            (1...Self.daysInMonth(month, year: year)).contains(day)
        else { return nil }
        dayNumber = Self.dayNumber(year: year, month: month, day: day)
    }

    /// A date from `YYYY-MM-DD`; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count == 4, parts[1].count == 2, parts[2].count == 2,
            text.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        let numbers = parts.map { $0.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } }
        self.init(year: numbers[0], month: numbers[1], day: numbers[2])
    }

    /// The date a number of days later (earlier if negative).
    public func advanced(by days: Int) -> LocalDate {
        let (sum, overflow) = dayNumber.addingReportingOverflow(days)
        return LocalDate(dayNumber: overflow ? (days > 0 ? Self.lastDayNumber : 0) : sum)
    }

    /// The Monday of this date's week (ISO 8601).
    public var startOfWeek: LocalDate {
        // 1970-01-01 was a Thursday, the fourth day of its week.
        advanced(by: -((dayNumber + 3) % 7))
    }

    /// The first day of this date's month.
    public var startOfMonth: LocalDate { advanced(by: 1 - components.day) }

    /// The first day of the month after this date's.
    public var startOfNextMonth: LocalDate {
        let (year, month, _) = components
        return startOfMonth.advanced(by: Self.daysInMonth(month, year: year))
    }

    /// Dates sort by time.
    public static func < (lhs: LocalDate, rhs: LocalDate) -> Bool { lhs.dayNumber < rhs.dayNumber }

    private static let lastDayNumber = dayNumber(year: years.upperBound, month: 12, day: 31)
}

extension LocalDate {
    /// Year, month and day of the month.
    public var components: (year: Int, month: Int, day: Int) {
        let shifted = dayNumber + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func dayNumber(year: Int, month: Int, day: Int) -> Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func daysInMonth(_ month: Int, year: Int) -> Int {
        let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
        return month == 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }
}

extension LocalDate: CustomStringConvertible {
    /// `YYYY-MM-DD`.
    public var description: String {
        let (year, month, day) = components
        return "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
    }
}
