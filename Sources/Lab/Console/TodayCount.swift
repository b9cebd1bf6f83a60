import Wire

/// What a device counted today, steps or revolutions: history's day, and what the counter has counted since.
///
/// History's day and its total are of one commit, and what lies between them is what the total was at the device's
/// midnight. So today is the live total less that: it waits for no commit, is never less than what stands beside it, and
/// within a day it never falls.
struct TodayCount: Sendable {
    /// The length of a day without a change of clocks, in seconds.
    private static let daySeconds = 86_400.0

    private struct Commit {
        var count: UInt64
        var revision: UInt64
    }

    private var day: Commit?
    private var date = ""
    private var total: Commit?
    /// The newest total of the counter, or of history where that is ahead.
    private var live: UInt64?
    private var atMidnight: UInt64?
    /// The first instant after the day.
    private var end: Double?
    /// Today's count; nil before history has said one.
    private(set) var count: UInt64?

    mutating func take(_ totals: DayTotals, _ value: UInt64) {
        // History is behind: this day is over by the counter's own time.
        if let end, let other = totals.end, other < end { return }
        var isForeseen = false
        if let end, let other = totals.end { isForeseen = abs(end - other) < Self.daySeconds / 2 }
        if totals.date != date, !isForeseen { (atMidnight, count) = (nil, nil) }
        (date, end, day) = (totals.date, totals.end, Commit(count: value, revision: totals.revision))
        join()
    }

    mutating func take(total value: UInt64, revision: UInt64) {
        total = Commit(count: value, revision: revision)
        join()
    }

    mutating func take(live value: UInt64, at seconds: Double) {
        if let end, let live, seconds >= end, seconds < end + Self.daySeconds {
            // The device's midnight has passed, and history has said nothing of the new day yet.
            (atMidnight, self.end, count, day, date) = (live, end + Self.daySeconds, 0, nil, "")
        }
        live = max(live ?? 0, value)
        show()
    }

    private mutating func join() {
        // A day of a later commit than the total waits for it.
        if let day, let total, day.revision <= total.revision, total.count >= day.count {
            atMidnight = total.count - day.count
            live = max(live ?? 0, total.count)
        }
        show()
    }

    private mutating func show() {
        let sinceMidnight = zip(live, atMidnight).map { $0 >= $1 ? $0 - $1 : 0 }
        count = [count, day?.count, sinceMidnight].compactMap(\.self).max()
    }
}

/// Both of two values, or nothing.
private func zip<A, B>(_ a: A?, _ b: B?) -> (A, B)? {
    if let a, let b { (a, b) } else { nil }
}
