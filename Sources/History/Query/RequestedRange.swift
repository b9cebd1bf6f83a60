import Wire

/// The minutes that a request asks about.
///
/// History keeps whole minutes. A time inside a minute takes in all of it, at both ends: `from` is rounded down and
/// `to` up, the reply says which times it is about, and `partial_minute` that the minutes at the ends are not the
/// interval's alone. Intervals that follow each other at whole minutes count every minute once.
struct RequestedRange: Sendable, Equatable {
    /// The minutes, since 1970, UTC.
    let minutes: Range<Int64>
    /// True if a time was given that is not a whole minute.
    let cutsMinute: Bool

    /// Reads `from` and `to`, with defaults for missing ones.
    init(_ request: HistoryRequest, in calendar: DayCalendar, default standard: Range<Int64>) throws(ReplyError) {
        let start = request.from.map { Self.minute($0, in: calendar, .down) } ?? standard.lowerBound
        let end = request.to.map { Self.minute($0, in: calendar, .up) } ?? standard.upperBound
        guard start <= end, !Self.isReversed(request.from, request.to) else {
            let from = request.from?.text ?? TimePoint.instant(seconds: Double(start) * 60).text
            let to = request.to?.text ?? TimePoint.instant(seconds: Double(end) * 60).text
            throw ReplyError(code: .badRequest, message: "'to' (\(to)) is not after 'from' (\(from))")
        }
        minutes = start..<end
        cutsMinute = Self.cutsMinute(request.from) || Self.cutsMinute(request.to)
    }

    private static func cutsMinute(_ time: TimePoint?) -> Bool {
        guard case .instant(let seconds)? = time else { return false }
        return (seconds / 60).rounded() * 60 != seconds
    }

    /// Two instants may be rounded to one minute, which is an empty range; but they must be in order.
    private static func isReversed(_ from: TimePoint?, _ to: TimePoint?) -> Bool {
        switch (from, to) {
        case (.instant(let from)?, .instant(let to)?): to <= from
        case (.localDate(let year, let month, let day)?, .localDate(let endYear, let endMonth, let endDay)?):
            (endYear, endMonth, endDay) <= (year, month, day)
        default: false
        }
    }

    /// The whole minute of a time, or of a local date's beginning.
    static func minute(
        _ time: TimePoint, in calendar: DayCalendar, _ rounding: FloatingPointRoundingRule
    ) -> Int64 {
        let limits = DayCalendar.minutes
        switch time {
        case .instant(let seconds):
            let minute = (seconds / 60).rounded(rounding)
            return Int64(exactly: min(max(minute, 0), Double(limits.upperBound))) ?? 0
        case .localDate:
            return calendar.startMinute(of: LocalDate(time, in: calendar))
        }
    }
}

extension LocalDate {
    /// The date that a time of a request names or falls on; dates outside the calendar are held within it.
    init(_ time: TimePoint, in calendar: DayCalendar) {
        switch time {
        case .localDate(let year, let month, let day):
            self = LocalDate(dayNumber: CivilDate.days(year: year, month: month, day: day))
        case .instant(let seconds):
            let minute = min(max((seconds / 60).rounded(.down), 0), Double(DayCalendar.minutes.upperBound - 1))
            self = calendar.date(ofMinute: Int64(exactly: minute) ?? 0)
        }
    }
}
