import Wire

/// Joins history's day of a device with the counter's live steps, without counting a step
/// twice.
///
/// History's word is the truth of a moment that has passed, and comes again with every commit. Live steps are added to
/// it only where they are surely not in it and surely of its day: those of reports that begin `historyLagSeconds` after
/// the last report before it came, and within the day. So the steps are never more than were made, are at most a few
/// seconds behind while history is away, and are right again with its next word. Within a day they never fall.
///
/// The steps of a report were made since the report before, because the counter sends them in the order of time.
struct TodayJoiner: Sendable {
    /// The longest time from a live step to a day of history that includes it, in seconds. It is a second or two; what
    /// history has not said within this time it says after it was away.
    static let historyLagSeconds = 3.0
    /// No day that clocks are changed on is shorter, in seconds.
    static let shortestDaySeconds = 23 * 3600.0

    /// The totals known so far; nil before history has said anything.
    private(set) var today: StepsToday?
    private var committed: UInt64 = 0
    private var live: UInt64 = 0
    /// The first instant after the day; nil where history has not said it.
    private var end: Double?
    /// Steps from before are of another day.
    private var start = -Double.infinity
    /// Live steps from here on are not in `committed`; nil until a report has the device's time.
    private var liveFrom: Double?
    /// True if the day began while history was away, which has not said anything of it yet.
    private var isProvisional = false
    private var lastReport: Double?

    /// A message of either, recognised by its fields; one that cannot be read changes nothing.
    mutating func take(message: [UInt8]) -> StepsToday? {
        if message.isEmpty {
            forget()
        } else if let day = try? DayTotals(json: message) {
            return take(day)
        } else if let report = try? StepsReport(json: message) {
            return take(report)
        }
        return nil
    }

    /// Takes history's day; nil where it changes nothing.
    mutating func take(_ day: DayTotals) -> StepsToday? {
        // The day that is over by the device's own time, from a history that is behind.
        if isProvisional, let end = day.end, end <= start { return nil }
        let before = today
        let isSame = before?.date == day.date
        if !isSame { begin(day) }
        (committed, live, end, isProvisional) = (day.steps, 0, day.end, false)
        liveFrom = lastReport.map { $0 + Self.historyLagSeconds }
        today = StepsToday(
            date: day.date, zone: day.zone, steps: max(day.steps, isSame ? before?.steps ?? 0 : 0),
            distanceMetres: day.distanceMetres, activeSeconds: day.activeSeconds)
        return today == before ? nil : today
    }

    /// History's data was deleted on request: its next day is the first again.
    mutating func forget() {
        (today, committed, live, end, start, isProvisional) = (nil, 0, 0, nil, -.infinity, false)
    }

    /// Takes the counter's live steps; nil where they change nothing.
    mutating func take(_ report: StepsReport) -> StepsToday? {
        let previous = lastReport
        lastReport = max(report.t, previous ?? report.t)
        if liveFrom == nil { liveFrom = report.t + Self.historyLagSeconds }
        guard let before = today, let previous, report.t > previous else { return nil }
        if let end, report.t >= end { beginNextDay(at: end, report.t) }
        if previous >= start, report.t < end ?? start + Self.shortestDaySeconds, isProvisional || isNew(previous) {
            live += UInt64(clamping: report.steps)
        }
        let known = today?.steps ?? 0
        today?.steps = max(known, committed.saturatingSum(live))
        return today == before ? nil : today
    }

    private func isNew(_ time: Double) -> Bool { liveFrom.map { time >= $0 } ?? false }

    /// Another day than before. It begins where the one before ended, where that is known.
    private mutating func begin(_ day: DayTotals) {
        guard let end = day.end else { return start = lastReport ?? start }
        let earliest = end - Self.shortestDaySeconds
        start = self.end.map { $0 < end ? max($0, earliest) : earliest } ?? earliest
    }

    /// The device's midnight has passed, and history has not said so.
    private mutating func beginNextDay(at midnight: Double, _ time: Double) {
        guard time < midnight + Self.shortestDaySeconds, let date = today.flatMap({ Self.date(after: $0.date) }) else {
            return
        }
        (start, end, committed, live, isProvisional) = (midnight, nil, 0, 0, true)
        today = StepsToday(date: date, zone: today?.zone ?? "", steps: 0, distanceMetres: 0, activeSeconds: 0)
    }

    private static func date(after text: String) -> String? {
        guard case .localDate(let year, let month, let day)? = try? TimePoint(parsing: text) else { return nil }
        let next = CivilDate.date(days: CivilDate.days(year: year, month: month, day: day) + 1)
        return CivilDate.text(year: next.year, month: next.month, day: next.day)
    }
}

extension UInt64 {
    fileprivate func saturatingSum(_ other: UInt64) -> UInt64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}

/// The steps of a device's present day.
public struct StepsToday: Sendable, Hashable {
    /// The local date, `YYYY-MM-DD`.
    public var date: String
    /// The time zone whose day it is, by its IANA name.
    public var zone: String
    /// Steps: what history has of the day, and what was counted since.
    public var steps: UInt64
    /// Metres that history has of the day.
    public var distanceMetres: Double
    /// Seconds with steps that history has of the day.
    public var activeSeconds: Double

    /// Steps from their parts.
    public init(date: String, zone: String, steps: UInt64, distanceMetres: Double, activeSeconds: Double) {
        self.date = date
        self.zone = zone
        self.steps = steps
        self.distanceMetres = distanceMetres
        self.activeSeconds = activeSeconds
    }
}
