import Synchronization
import Wire

/// How far people are with what they want to reach.
extension HistoryStore {
    /// The calendar of a person: weeks begin as the person wants, else as in the country of the zone.
    func calendar(of record: SubjectRecord, _ goals: Goals?) -> DayCalendar {
        var calendar = DayCalendar(record.settings, defaultZone: defaultZone)
        calendar.chosenWeekStart = goals?.weekStarts
        return calendar
    }

    /// How far a person is on a day, in the week up to it.
    func progress(
        of goals: Goals, _ record: SubjectRecord, on day: DayRecord, nowMinute: Int64
    ) async throws(HistoryError) -> GoalProgress {
        let calendar = calendar(of: record, goals)
        var goals = goals
        goals.weekStarts = calendar.weekStarts
        let first = day.date.startOfWeek(from: calendar.weekStarts)
        // With the day before, in which a ride of the first day may have begun.
        let near = try await days(of: record.subject, from: first.advanced(by: -1), to: day.date)
        let milliseconds = near.filter { $0.date >= first }.reduce(day.counts.activeMilliseconds) {
            $0 + $1.counts.activeMilliseconds
        }
        var rides: Int?
        if goals.ridesPerWeek != nil {
            let start = calendar.startMinute(of: first) * 60
            let week = start..<max(start, day.minutes.upperBound * 60)
            rides = try await self.rides(of: record, in: week, near + [day], nowMinute: nowMinute)
        }
        return GoalProgress(
            goals, steps: day.counts.steps, weekActiveMilliseconds: milliseconds, weekRides: rides)
    }

    /// The rides that began in a week up to today. They are counted again when something was said of them, or one of the
    /// earlier days has changed; while today changes with every second, once a minute.
    private func rides(
        of record: SubjectRecord, in week: Range<Int64>, _ days: [DayRecord], nowMinute: Int64
    ) async throws(HistoryError) -> Int {
        let answers = HistoryAnswers(store: self)
        let basis = CountedRides.Basis(
            week: week, said: try await answers.said(of: record, near: week),
            revisions: days.dropLast().map(\.revision))
        let today = days.last?.revision ?? 0
        if let known = countedRides.withLock({ $0[record.subject] }), known.basis == basis,
            known.today == today || known.minute == nowMinute
        {
            return known.count
        }
        let count = try await answers.spans(of: record, in: week, basis.said).count { workout in
            week.contains(workout.seconds.lowerBound) && !workout.isDeleted
                && (workout.kind.map { $0 == .ride } ?? workout.isOfCrank)
        }
        countedRides.withLock { counted in
            if counted.count >= CountedRides.maximumPeople { counted = [:] }
            counted[record.subject] = CountedRides(basis: basis, today: today, minute: nowMinute, count: count)
        }
        return count
    }
}

/// The rides of a person's week, and what they were counted from.
struct CountedRides: Sendable {
    /// More are not remembered.
    static let maximumPeople = 10_000

    struct Basis: Sendable, Equatable {
        var week: Range<Int64>
        var said: WorkoutWords
        /// Of the days before today.
        var revisions: [Int64]
    }

    var basis: Basis
    /// The revision of today.
    var today: Int64
    /// When they were counted.
    var minute: Int64
    var count: Int
}
