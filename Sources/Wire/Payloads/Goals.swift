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
