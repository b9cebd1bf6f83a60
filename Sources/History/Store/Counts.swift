public import Wire

/// What adds up: over minutes, over days, over a life.
public struct Counts: Sendable, Equatable {
    /// Steps made.
    public var steps: Int64 = 0
    /// Crank revolutions made.
    public var revolutions: Int64 = 0
    /// Distance, in millimetres.
    public var distanceMillimetres: Int64 = 0
    /// Time with steps or revolutions, in milliseconds.
    public var activeMilliseconds: Int64 = 0
    /// Time for which samples exist, in milliseconds.
    public var coveredMilliseconds: Int64 = 0
    /// Floors gone on foot; nil where no barometer told its pressure.
    public var floors: Floors?

    /// Nothing.
    public init() {}

    /// The counts of a minute row.
    public init(_ row: MinuteTotals) {
        steps = Int64(row.steps)
        revolutions = Int64(row.revolutions)
        distanceMillimetres = Int64(row.distanceMillimetres)
        activeMilliseconds = Int64(row.activeMilliseconds)
        coveredMilliseconds = Int64(row.coveredMilliseconds)
        floors = row.floors.map { Floors($0) }
    }

    /// Adds up. A minute has 32-bit counts, so 64 bits last for every minute there is.
    public static func += (sum: inout Counts, other: Counts) {
        sum.steps &+= other.steps
        sum.revolutions &+= other.revolutions
        sum.distanceMillimetres &+= other.distanceMillimetres
        sum.activeMilliseconds &+= other.activeMilliseconds
        sum.coveredMilliseconds &+= other.coveredMilliseconds
        sum.floors += other.floors
    }

    /// The greater of each count.
    public func raised(to other: Counts) -> Counts {
        var most = self
        most.steps = max(steps, other.steps)
        most.revolutions = max(revolutions, other.revolutions)
        most.distanceMillimetres = max(distanceMillimetres, other.distanceMillimetres)
        most.activeMilliseconds = max(activeMilliseconds, other.activeMilliseconds)
        most.coveredMilliseconds = max(coveredMilliseconds, other.coveredMilliseconds)
        most.floors = floors.raised(to: other.floors)
        return most
    }

    /// The change from `old` to `new`.
    public static func - (new: Counts, old: Counts) -> Counts {
        var change = new
        change.steps &-= old.steps
        change.revolutions &-= old.revolutions
        change.distanceMillimetres &-= old.distanceMillimetres
        change.activeMilliseconds &-= old.activeMilliseconds
        change.coveredMilliseconds &-= old.coveredMilliseconds
        change.floors -= old.floors
        return change
    }
}

/// What was counted in one minute, in all lives of the counter's store; beyond the retention of minutes, in an hour.
public struct MinuteRecord: Sendable, Equatable {
    /// The minute, since 1970, UTC.
    public var minute: Int64
    /// How many minutes it is.
    public var length: Int64
    /// What was counted.
    public var sum: CountSum

    /// A record from its parts.
    public init(minute: Int64, length: Int64 = 1, sum: CountSum) {
        self.minute = minute
        self.length = length
        self.sum = sum
    }
}

/// What was counted in a range of minutes, cadence included.
public struct CountSum: Sendable, Equatable {
    /// What adds up.
    public var counts = Counts()
    /// Cadence integrated over time: divided by `cadenceSeconds`, the mean per minute.
    public var cadenceIntegral = 0.0
    /// Seconds with a cadence above 0.
    public var cadenceSeconds: Int64 = 0
    /// The lowest cadence above 0; 0 when there was none.
    public var cadenceMinimum = 0.0
    /// The highest cadence.
    public var cadenceMaximum = 0.0
    /// Milliseconds in each activity, by `ActivityKind.rawValue`.
    public var activityMilliseconds = [Int64](repeating: 0, count: ActivityKind.allCases.count)

    /// Nothing.
    public init() {}

    /// Milliseconds in an activity.
    public subscript(activity: ActivityKind) -> Int64 {
        let index = Int(activity.rawValue)
        return activityMilliseconds.indices.contains(index) ? activityMilliseconds[index] : 0
    }

    /// The time-weighted mean cadence per minute; nil without any.
    public var cadenceMean: Double? {
        cadenceSeconds > 0 ? cadenceIntegral / Double(cadenceSeconds) : nil
    }

    /// Adds what was counted in another range.
    public static func += (sum: inout CountSum, other: CountSum) {
        sum.counts += other.counts
        sum.cadenceIntegral += other.cadenceIntegral
        sum.cadenceSeconds &+= other.cadenceSeconds
        sum.cadenceMaximum = max(sum.cadenceMaximum, other.cadenceMaximum)
        if other.cadenceMinimum > 0 {
            sum.cadenceMinimum =
                sum.cadenceMinimum > 0 ? min(sum.cadenceMinimum, other.cadenceMinimum) : other.cadenceMinimum
        }
        for kind in sum.activityMilliseconds.indices where kind < other.activityMilliseconds.count {
            sum.activityMilliseconds[kind] &+= other.activityMilliseconds[kind]
        }
    }
}
