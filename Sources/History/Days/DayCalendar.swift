import Synchronization

/// The local days of one zone, for people whose day begins at midnight or later: which minutes of UTC a date has.
///
/// A date begins at the first instant at which local time has reached its start. Hence days of 23, 24 and 25 hours,
/// a day without a midnight (clocks go forward at 24:00), one whose last hour comes twice, and even the date that
/// Samoa left out in 2011 (a day without minutes): all tile the time axis, with no minute in two days. Ranges are
/// half-open and in minutes since 1970, UTC.
public struct DayCalendar: Sendable {
    /// When a day begins, in minutes after local midnight.
    public let dayStartMinutes: Int
    let offsets: ZoneOffsets

    /// The latest start of a day, in minutes after midnight.
    public static let maximumDayStartMinutes = 1439
    /// The minutes of UTC that history keeps: the years of `LocalDate`.
    public static let minutes: Range<Int64> = 0..<Int64(LocalDate(dayNumber: .max).dayNumber) * 1440

    /// The minutes in which anything can have been counted: from 2001, before which no clock of a device is right, to a
    /// week before the end of the calendar, so that every such minute has its whole local day in it.
    public static let countedMinutes: Range<Int64> = 16_305_120..<minutes.upperBound - 7 * 1440

    /// The days of a zone.
    /// - Parameters:
    ///   - zone: The zone's IANA name, such as `Europe/Berlin`, or `UTC`.
    ///   - dayStartMinutes: Minutes after midnight at which a day begins, `0 ... maximumDayStartMinutes`.
    /// - Throws: A zone that nobody knows, or a start outside the day.
    public init(zone: String, dayStartMinutes: Int = 0) throws(DayCalendarError) {
        guard (0...Self.maximumDayStartMinutes).contains(dayStartMinutes) else {
            throw .impossibleDayStart(dayStartMinutes)
        }
        offsets = try Self.offsets(of: zone)
        self.dayStartMinutes = dayStartMinutes
    }

    /// The zone's IANA name.
    public var zone: String { offsets.name }

    /// The minutes of a date.
    public func minutes(of date: LocalDate) -> Range<Int64> {
        let start = startMinute(ofDayNumber: Int64(date.dayNumber))
        return start..<max(start, startMinute(ofDayNumber: Int64(date.dayNumber) + 1))
    }

    /// The first minute of a date.
    public func startMinute(of date: LocalDate) -> Int64 { startMinute(ofDayNumber: Int64(date.dayNumber)) }

    /// The date that a minute belongs to; minutes outside `DayCalendar.minutes` are held within it.
    public func date(ofMinute minute: Int64) -> LocalDate {
        let minute = min(max(minute, Self.minutes.lowerBound), Self.minutes.upperBound - 1)
        let local = minute + floorDivide(offsets.offsetSeconds(at: minute * 60), 60) - Int64(dayStartMinutes)
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

    private static func offsets(of zone: String) throws(DayCalendarError) -> ZoneOffsets {
        if let offsets = known.withLock({ $0[zone] }) { return offsets }
        let offsets = try ZoneOffsets(name: zone)
        return known.withLock { known in
            if let kept = known[zone] { return kept }
            if known.count < maximumKnownZones { known[zone] = offsets }
            return offsets
        }
    }
}

/// Why there is no calendar.
public enum DayCalendarError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No zone of the IANA database has this name.
    case unknownZone(String)
    /// Not a number of minutes after midnight.
    case impossibleDayStart(Int)

    /// What is wrong, and what to write instead.
    public var description: String {
        switch self {
        case .unknownZone(let name):
            "'\(name.prefix(ZoneOffsets.maximumNameBytes))' is no time zone; use an IANA name such as Europe/Berlin"
        case .impossibleDayStart(let minutes):
            "a day cannot start \(minutes) minutes after midnight; use 0 to \(DayCalendar.maximumDayStartMinutes)"
        }
    }
}
