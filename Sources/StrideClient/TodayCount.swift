package import Wire

/// The steps of today, from history's day and total and the counter's live steps: no step is counted twice.
struct TodayJoiner: Sendable {
    /// The totals known so far; nil before the first day totals.
    private(set) var today: StepsToday?
    private var count = TodayCount()

    /// Takes a message of any of the three kinds, recognised by its fields. An unreadable message changes nothing.
    mutating func take(message: [UInt8]) -> StepsToday? {
        if message.isEmpty {
            forget()
        } else if let day = try? DayTotals(json: message) {
            return take(day)
        } else if let report = try? StepsReport(json: message) {
            return take(report)
        } else if let total = try? DeviceTotals(json: message) {
            return take(total)
        }
        return nil
    }

    /// Takes the day that history retains; nil if it changes nothing.
    mutating func take(_ day: DayTotals) -> StepsToday? {
        change {
            $0.take(day, day.steps)
            return StepsToday(
                date: day.date, zone: day.zone, steps: 0, distanceMetres: day.distanceMetres,
                activeSeconds: day.activeSeconds)
        }
    }

    /// Takes the total that history retains; nil if it changes nothing.
    mutating func take(_ total: DeviceTotals) -> StepsToday? {
        change {
            $0.take(total: total.steps, revision: total.revision)
            return nil
        }
    }

    /// Takes the counter's live steps; nil if they change nothing.
    mutating func take(_ report: StepsReport) -> StepsToday? {
        change {
            $0.take(live: report.steps, new: UInt64(clamping: report.newSteps), at: report.t)
            return nil
        }
    }

    /// Resets the totals, after history's data was deleted on request. The next day totals count as the first.
    mutating func forget() { self = TodayJoiner() }

    /// - Parameter body: changes the count, and gives the day if it is one.
    private mutating func change(_ body: (inout TodayCount) -> StepsToday?) -> StepsToday? {
        let (before, end) = (today, count.end)
        let day = body(&count)
        if let day, count.isOf(day.date) {
            today = day
        } else if let end, let now = count.end, now > end, let before, let date = Self.date(after: before.date) {
            // Midnight has passed, and history has said nothing of the new day yet.
            today = StepsToday(date: date, zone: before.zone, steps: 0, distanceMetres: 0, activeSeconds: 0)
        }
        guard let steps = count.count else { return nil }
        today?.steps = steps
        return today == before ? nil : today
    }

    private static func date(after text: String) -> String? {
        guard case .localDate(let year, let month, let day)? = try? TimePoint(parsing: text) else { return nil }
        let next = CivilDate.date(days: CivilDate.days(year: year, month: month, day: day) + 1)
        return CivilDate.text(year: next.year, month: next.month, day: next.day)
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

/// What a device counted today, steps or revolutions: the day that history has, and what the counter has counted since.
///
/// History's day and its total are of one commit: what lies between them is what the total was at the device's midnight.
/// The counter's total goes on before history's. It may also be ahead for good, by what was forgotten since or was told
/// twice; by how much is seen when the device moves again after a pause. So today is the counter's total less both: it
/// waits for no commit, is never less than what stands beside it, and within a day it never falls.
package struct TodayCount: Sendable {
    /// The length of a day without a change of clocks, in seconds.
    private static let daySeconds = 86_400.0
    /// The most that a change of clocks makes a day longer or shorter, in seconds.
    private static let clockChangeSeconds = 3600.0
    /// A pause in which history takes all that was counted, in seconds.
    private static let pauseSeconds = 15.0
    /// The most that history may still lack when the first report comes, in counts: what is made in that time.
    private static let maximumUnsaid: UInt64 = 75

    private struct Commit {
        var count: Quantity
        var revision: UInt64
    }

    private var day: Commit?
    private var date = ""
    private var total: Commit?
    /// The counter's total, and the time of the report that told it.
    private var live: (total: Quantity, seconds: Double)?
    /// How far the counter's total is ahead of history's for good.
    private var lead: Quantity = 0
    /// The most of the counter's total that is of another day or forgotten. Only history's day makes it less: its total
    /// does not say which counts it has, as history may take later ones first.
    private var notToday: Quantity?
    /// History's total at the device's midnight.
    private var atMidnight: Quantity?
    /// Whether history has said a total since the last report.
    private var isSaid = false
    /// The first instant of the day, where the one before is known, and the first after it.
    private var start = -Double.infinity
    private(set) var end: Double?
    /// Today's count; nil before history has said one.
    private(set) package var count: UInt64?

    package init() {}

    /// Whether history's day is of a date.
    func isOf(_ date: String) -> Bool { self.date == date }

    /// The total for ever without what was forgotten; nil before any came.
    package var knownTotal: UInt64? {
        let known = [total?.count, live.map { $0.total - (total == nil ? 0 : lead) }].compactMap(\.self).max()
        return known.map { UInt64(clamping: $0.value) }
    }

    /// Takes the day that history retains.
    package mutating func take(_ totals: DayTotals, _ value: UInt64) {
        let later = (totals.end ?? .infinity) - (end ?? -.infinity)
        // History is behind: this day is over by the counter's own time.
        if later < -Self.daySeconds / 2 { return }
        let value = Quantity(Int64(clamping: value))
        // A day that was not foreseen: all that was told before it is of another.
        if totals.date != date, later >= Self.daySeconds / 2 {
            (atMidnight, count) = (nil, nil)
            let usual = (totals.end ?? -.infinity) - Self.daySeconds
            start = end.flatMap { abs($0 - usual) <= Self.clockChangeSeconds ? $0 : nil } ?? usual
            notToday = live.flatMap { $0.seconds < start ? $0.total : nil }
        }
        // What was counted has been forgotten.
        if totals.date == date, let day, value < day.count {
            count = nil
            notToday? += day.count - value
        }
        if let live { notToday = notToday.map { min($0, live.total - value) } }
        (date, end, day) = (totals.date, totals.end, Commit(count: value, revision: totals.revision))
        join()
    }

    /// Takes the total that history retains.
    package mutating func take(total value: UInt64, revision: UInt64) {
        let value = Quantity(Int64(clamping: value))
        // The counter's total stays when something is forgotten.
        if let total { lead += max(0, total.count - value) } else if let live { begin(unsaid: live.total - value) }
        (total, isSaid) = (Commit(count: value, revision: revision), true)
        join()
    }

    /// Takes the counter's total.
    ///
    /// - Parameter new: What the report says that was counted since the one before; nil where it says none.
    package mutating func take(live value: UInt64, new: UInt64? = nil, at seconds: Double) {
        let value = Quantity(Int64(clamping: value))
        let new = new.map { Quantity(Int64(clamping: $0)) }
        let before = live ?? (value - (new ?? 0), seconds)
        if let total = total?.count {
            if live == nil {
                begin(unsaid: before.total - total)
            } else if isSaid, seconds - before.seconds >= Self.pauseSeconds {
                lead = new.map { value - $0 - total } ?? max(lead, before.total - total)
            }
            lead = min(lead, value - total)
        }
        (live, isSaid) = ((value, max(seconds, before.seconds)), false)
        notToday = notToday ?? atMidnight.map { $0 + lead }
        if !beginsNextDay(seconds) {
            // What came late may be of another day, and what is of another time is: history will say.
            let growth: Quantity = max(0, value - before.total)
            let sure = before.seconds >= start && seconds < end ?? .infinity ? min(growth, new ?? growth) : 0
            notToday? += growth - sure
        }
        show()
    }

    /// The first of both totals are known: a little more than history's may be on the way to it.
    private mutating func begin(unsaid: Quantity) { lead = unsaid.value.magnitude <= Self.maximumUnsaid ? 0 : unsaid }

    /// The device's midnight has passed, and history has said nothing of the new day yet. What is reported over midnight is
    /// taken for yesterday's.
    private mutating func beginsNextDay(_ seconds: Double) -> Bool {
        guard let end, let live, seconds >= end, seconds < end + Self.daySeconds else { return false }
        (notToday, atMidnight, count, day, date) = (live.total, live.total - lead, 0, nil, "")
        (start, self.end) = (end, end + Self.daySeconds)
        return true
    }

    private mutating func join() {
        // A day of a later commit than the total waits for it.
        if let day, let total, day.revision <= total.revision { atMidnight = total.count - day.count }
        show()
    }

    private mutating func show() {
        let sinceMidnight = atMidnight.flatMap { start in live.map { $0.total - max(start + lead, notToday ?? 0) } }
        let shown = count.map { Quantity(Int64(clamping: $0)) }
        count = [shown, day?.count, sinceMidnight].compactMap(\.self).max().map { UInt64(clamping: $0.value) }
    }
}
