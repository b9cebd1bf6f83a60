import Wire

/// Joins the day totals of history with the live steps of the counter, and counts no step twice.
///
/// Day totals are exact for a past moment and come again with every commit. Live steps are added to them only if they
/// are certainly not included and belong to the same day: the steps of reports whose period begins `historyLagSeconds`
/// or more after the last report before the totals. So the sum never exceeds the steps made, lags a few seconds at most
/// while history is away, and is exact again with the next totals. Within a day it never falls.
///
/// The steps of a report were made since the report before, because the counter sends reports in order of time.
struct TodayJoiner: Sendable {
    /// The longest time from a live step to the day totals that include it, in seconds. Usually it is one or two
    /// seconds. Only after an outage of history is it longer.
    static let historyLagSeconds = 3.0
    /// The length of the shortest day, one with a clock change, in seconds.
    static let shortestDaySeconds = 23 * 3600.0

    /// The totals known so far; nil before the first day totals.
    private(set) var today: StepsToday?
    private var committed: UInt64 = 0
    private var live: UInt64 = 0
    /// The first instant after the day; nil if history has not sent it.
    private var end: Double?
    /// The earliest time of the day's steps. Earlier ones belong to another day.
    private var start = -Double.infinity
    /// Live steps from this time on are not in `committed`; nil until a report has the device's time.
    private var liveFrom: Double?
    /// True if the day began without history, which has sent no totals of it yet.
    private var isProvisional = false
    private var lastReport: Double?

    /// Takes a message of either kind, recognised by its fields. An unreadable message changes nothing.
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

    /// Takes the day totals of history; nil if they change nothing.
    mutating func take(_ day: DayTotals) -> StepsToday? {
        // History is behind: the totals are of a day that is over by the device's own time.
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

    /// Resets the totals, after history's data was deleted on request. The next day totals count as the first.
    mutating func forget() {
        (today, committed, live, end, start, isProvisional) = (nil, 0, 0, nil, -.infinity, false)
    }

    /// Takes the counter's live steps; nil if they change nothing.
    mutating func take(_ report: StepsReport) -> StepsToday? {
        let previous = lastReport
        lastReport = max(report.t, previous ?? report.t)
        if liveFrom == nil { liveFrom = report.t + Self.historyLagSeconds }
        guard let before = today, let previous, report.t > previous else { return nil }
        if let end, report.t >= end { beginNextDay(at: end, report.t) }
        if previous >= start, report.t < end ?? start + Self.shortestDaySeconds, isProvisional || isNew(previous) {
            live += UInt64(clamping: report.newSteps)
        }
        let known = today?.steps ?? 0
        today?.steps = max(known, committed.saturatingSum(live))
        return today == before ? nil : today
    }

    private func isNew(_ time: Double) -> Bool { liveFrom.map { time >= $0 } ?? false }

    /// Starts another day, at the end of the day before if that is known.
    private mutating func begin(_ day: DayTotals) {
        guard let end = day.end else { return start = lastReport ?? start }
        let earliest = end - Self.shortestDaySeconds
        start = self.end.map { $0 < end ? max($0, earliest) : earliest } ?? earliest
    }

    /// Starts the next day at the device's midnight, before history has sent totals of it.
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
    func saturatingSum(_ other: UInt64) -> UInt64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}

/// The steps of a device's current day.
public struct StepsToday: Sendable, Hashable {
    /// The local date, `YYYY-MM-DD`.
    public var date: String
    /// The IANA name of the day's time zone.
    public var zone: String
    /// Steps: the count of history, and the live steps since.
    public var steps: UInt64
    /// The distance according to history, in metres.
    public var distanceMetres: Double
    /// The time with steps according to history, in seconds.
    public var activeSeconds: Double
}
