import Wire

/// A mean cadence, as what it counts: a minute row has one cadence, of revolutions on a bike and of steps on a person.
struct CadenceMean: Equatable {
    /// Of a crank.
    var revolutionsPerMinute: Double?
    /// Of a walker.
    var stepsPerMinute: Double?

    /// The mean of a range; of a device whose kind is unknown, what it did for longer decides.
    init(_ sum: CountSum, kind: String) {
        let isBike: Bool
        switch kind {
        case "bike": isBike = true
        case "wearable": isBike = false
        default:
            let onFoot =
                sum.activityMilliseconds[Int(ActivityKind.walking.rawValue)]
                + sum.activityMilliseconds[Int(ActivityKind.running.rawValue)]
            let cycling = sum.activityMilliseconds[Int(ActivityKind.cycling.rawValue)]
            isBike = cycling == onFoot ? sum.counts.revolutions > sum.counts.steps : cycling > onFoot
        }
        if isBike { revolutionsPerMinute = sum.cadenceMean } else { stepsPerMinute = sum.cadenceMean }
    }
}
