/// The cadence of a period of active time, per minute.
public struct CadenceFigures: Sendable, Hashable {
    /// The mean, weighted by time.
    public var average: Double
    /// The lowest above 0.
    public var minimum: Double
    /// The highest.
    public var maximum: Double

    package init(average: Double, minimum: Double, maximum: Double) {
        self.average = average
        self.minimum = minimum
        self.maximum = maximum
    }
}

/// A heart rate or a power over some time.
public struct ReadingFigures: Sendable, Hashable {
    /// The mean of the seconds in which it is known.
    public var average: Double
    /// The highest.
    public var maximum: Double
    /// The seconds in which it is known.
    public var seconds: Int

    package init(average: Double, maximum: Double, seconds: Int) {
        (self.average, self.maximum, self.seconds) = (average, maximum, seconds)
    }

    /// The work of a power, in kilojoules.
    public var workKilojoules: Double { average * Double(seconds) / 1000 }

    /// `nil` where no second is known.
    package init?(_ sum: RateSum) {
        guard let mean = sum.mean else { return nil }
        self.init(average: mean, maximum: max(sum.maximum, mean), seconds: Int(clamping: sum.seconds))
    }
}

extension FieldList {
    /// `heart_avg_bpm`, `heart_max_bpm` and `heart_s`, and the same of power with the work in `work_kj`; absent where no
    /// second is known.
    mutating func readings(_ heart: inout ReadingFigures?, _ power: inout ReadingFigures?) throws(WireError) {
        try reading("heart", "bpm", &heart)
        try reading("power", "w", &power)
        var work = power?.workKilojoules
        try field("work_kj", &work, .number(in: 0...PayloadLimits.durationSeconds.upperBound, decimals: 3))
    }

    private mutating func reading(
        _ name: String, _ unit: String, _ figures: inout ReadingFigures?
    ) throws(WireError) {
        let form = FieldForm<Double>.number(in: 0...Double(Trace.Channel.maximum), decimals: 1)
        var (average, maximum, seconds) = (figures?.average, figures?.maximum, figures?.seconds)
        try field("\(name)_avg_\(unit)", &average, form)
        try field("\(name)_max_\(unit)", &maximum, form)
        try field("\(name)_s", &seconds, .whole(in: 0...Int.max))
        figures = average.map { ReadingFigures(average: $0, maximum: maximum ?? $0, seconds: seconds ?? 0) }
    }

    /// `cadence_avg_rpm`, `cadence_min_rpm` and `cadence_max_rpm`, or the same with `spm`; all absent without
    /// revolutions or steps. A missing minimum or maximum is read as the mean.
    mutating func cadence(_ unit: String, _ figures: inout CadenceFigures?) throws(WireError) {
        var (average, minimum, maximum) = (figures?.average, figures?.minimum, figures?.maximum)
        try field("cadence_avg_\(unit)", &average, .cadence)
        try field("cadence_min_\(unit)", &minimum, .cadence)
        try field("cadence_max_\(unit)", &maximum, .cadence)
        figures = average.map { CadenceFigures(average: $0, minimum: minimum ?? $0, maximum: maximum ?? $0) }
    }
}

/// One calendar day of a device or a person: `{device}/day`, `person/{person}/day`, and the records of `history/days`.
public struct DayTotals: FieldPayload, Counted, Hashable {
    /// When it was so, in seconds since 1970; present only in retained messages.
    public var t: Double?
    /// The local date, `YYYY-MM-DD`.
    public var date = ""
    /// The IANA name of the day's time zone.
    public var zone = ""
    /// What was counted that day.
    public var counts = Counts()
    /// Grows with every change of the day.
    public var revision: UInt64 = 0
    /// True if the day has been over for an hour; late data may still change it.
    public var isFinal = false
    /// The first instant after the day, in seconds since 1970; present only in retained messages.
    public var end: Double?
    /// The person's name; present only in retained messages of people.
    public var person: String?
    /// The person's goals, and how far they are reached; only in retained messages of people who have some.
    public var progress = GoalProgress()

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("t", &t, .time)
        try list.field("date", &date, .date)
        try list.field("zone", &zone, .zone)
        try counts.fields(&list)
        try list.field("revision", &revision, .count)
        try list.field("final", &isFinal, .flag)
        try list.field("end", &end, .time)
        try list.field("person", &person, .text)
        try progress.fields(&list)
    }
}

extension FieldForm<String> {
    /// `YYYY-MM-DD`
    fileprivate static var date: Self {
        Self { json throws(WireError) in
            let text = try json.text(maximumBytes: 10)
            guard case .localDate = try TimePoint(parsing: text) else { throw .absurdTime }
            return text
        } write: {
            $0.value($1)
        }
    }
}

/// `{device}/total` and `person/{person}/total`: all-time totals.
public struct DeviceTotals: FieldPayload, Counted, Hashable {
    /// When it was so, in seconds since 1970.
    public var t = 0.0
    /// What was counted since the device or person was first seen.
    public var counts = Counts()
    /// Grows with every change.
    public var revision: UInt64 = 0
    /// The person's name; absent for a device.
    public var person: String?

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("t", &t, .time)
        try counts.fields(&list)
        try list.field("revision", &revision, .count)
        try list.field("person", &person, .text)
    }
}

/// The day with which a week begins.
public enum WeekStart: String, Sendable, Hashable, CaseIterable {
    case monday, sunday, saturday
}

/// What a person wants to reach; nil where it is not said. In a request 0 takes a goal away.
public struct Goals: Sendable, Hashable {
    /// Steps of a day.
    public var stepsPerDay: Int?
    /// Minutes with steps or revolutions of a week.
    public var activeMinutesPerWeek: Int?
    /// Rides of a week.
    public var ridesPerWeek: Int?
    /// The day with which the person's week begins; without one it is that of the country of the person's zone.
    public var weekStarts: WeekStart?

    /// What is said; the rest is nil.
    public init(
        stepsPerDay: Int? = nil, activeMinutesPerWeek: Int? = nil, ridesPerWeek: Int? = nil,
        weekStarts: WeekStart? = nil
    ) {
        (self.stepsPerDay, self.activeMinutesPerWeek) = (stepsPerDay, activeMinutesPerWeek)
        (self.ridesPerWeek, self.weekStarts) = (ridesPerWeek, weekStarts)
    }

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("goal_steps_per_day", &stepsPerDay, .whole(in: 0...1_000_000))
        try list.field("goal_active_min_per_week", &activeMinutesPerWeek, .whole(in: 0...10_080))
        try list.field("goal_rides_per_week", &ridesPerWeek, .whole(in: 0...1_000))
        try list.field("week_starts", &weekStarts, .word)
    }
}

/// How far a person is with the goals; all nil of a device, and of a person without goals.
public struct GoalProgress: Sendable, Hashable {
    /// The goals; the first day of the week is always told with them.
    public var goals = Goals()
    /// The minutes with steps or revolutions of this week; nil without a goal for them.
    public var weekActiveMinutes: Int?
    /// The rides of this week; nil without a goal for them.
    public var weekRides: Int?
    /// The part of the day's steps that is made, from 0 on; nil without the goal.
    public var stepsShare: Double?
    /// The part of the week's active minutes that is made; nil without the goal.
    public var activeShare: Double?
    /// The part of the week's rides that is made; nil without the goal.
    public var ridesShare: Double?

    package init() {}

    /// What is reached of goals, by the counts of the day and of the days of the week up to it.
    package init(_ goals: Goals, steps: Int64, weekActiveMilliseconds: Int64, weekRides: Int?) {
        func share(_ reached: Int64?, of goal: Int?) -> Double? {
            guard let reached, let goal, goal > 0 else { return nil }
            return Double(reached) / Double(goal)
        }
        self.goals = goals
        let minutes = weekActiveMilliseconds / 60_000
        weekActiveMinutes = goals.activeMinutesPerWeek.map { _ in Int(clamping: minutes) }
        self.weekRides = goals.ridesPerWeek.flatMap { _ in weekRides }
        stepsShare = share(steps, of: goals.stepsPerDay)
        activeShare = share(minutes, of: goals.activeMinutesPerWeek)
        ridesShare = share(self.weekRides.map { Int64($0) }, of: goals.ridesPerWeek)
    }

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try goals.fields(&list)
        try list.field("week_active_min", &weekActiveMinutes, .whole(in: 0...Int.max))
        try list.field("week_rides", &weekRides, .whole(in: 0...Int.max))
        try list.field("goal_steps_share", &stepsShare, .number(in: 0...1e12, decimals: 3))
        try list.field("goal_active_share", &activeShare, .number(in: 0...1e12, decimals: 3))
        try list.field("goal_rides_share", &ridesShare, .number(in: 0...1e12, decimals: 3))
    }
}
