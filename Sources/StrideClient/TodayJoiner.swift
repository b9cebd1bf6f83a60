import Wire

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
