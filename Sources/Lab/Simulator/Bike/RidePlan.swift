/// A stretch of a ride.
package struct RideSegment: Sendable, Hashable {
    /// The rider's activity.
    package var activity: RideActivity
    /// For how long, in seconds.
    package var seconds: Double

    /// A stretch from its parts.
    package init(_ activity: RideActivity, seconds: Double) {
        self.activity = activity
        self.seconds = seconds
    }
}

/// An activity of a rider.
package enum RideActivity: Sendable, Hashable {
    /// Pedals in the saddle, about a cadence in revolutions a minute.
    case pedal(rpm: Double)
    /// Pedals out of the saddle: the frame sways twice as much.
    case stand(rpm: Double)
    /// Holds the pedals still.
    case rest

    /// The cadence aimed at, in revolutions a minute; 0 at rest.
    var targetRPM: Double {
        switch self {
        case .pedal(let rpm), .stand(let rpm): rpm
        case .rest: 0
        }
    }

    /// The force of the pedals on the frame, relative to sitting.
    var effort: Double {
        switch self {
        case .pedal: 1
        case .stand: 2
        case .rest: 0
        }
    }
}

/// A rider's activities, one stretch after another: a script, and then habits for ever.
package struct RidePlan: Sendable, Hashable {
    /// The first stretches, in order.
    package var script: [RideSegment]
    /// The cadences that the rider chooses from, in revolutions a minute.
    package var cadenceRangeRPM: ClosedRange<Double>
    /// The time for which a chosen cadence is kept, in seconds.
    package var pedalSeconds: ClosedRange<Double>
    /// The duration of a rest, in seconds.
    package var restSeconds: ClosedRange<Double>
    /// The probability that a stretch of pedalling is followed by a rest instead of another cadence, `0...1`.
    package var restProbability: Double
    /// The probability that the rider gets out of the saddle, `0...1`.
    package var standProbability: Double
    /// By how much the cadence wanders about its aim: the standard deviation in revolutions a minute.
    package var wanderRPM: Double
    /// True if the cranks stop at once when the rider does, while the flywheel runs on.
    package var hasFreewheel: Bool

    /// A plan from its parts; the defaults are an ordinary spinning class.
    package init(
        script: [RideSegment] = [], cadenceRangeRPM: ClosedRange<Double> = 55...110,
        pedalSeconds: ClosedRange<Double> = 15...90, restSeconds: ClosedRange<Double> = 4...20,
        restProbability: Double = 0.3, standProbability: Double = 0.1, wanderRPM: Double = 2.5,
        hasFreewheel: Bool = true
    ) {
        self.script = script
        self.cadenceRangeRPM = cadenceRangeRPM
        self.pedalSeconds = pedalSeconds
        self.restSeconds = restSeconds
        self.restProbability = restProbability
        self.standProbability = standProbability
        self.wanderRPM = wanderRPM
        self.hasFreewheel = hasFreewheel
    }

    /// The stretch after `index` others, the last of which was `previous`.
    func segment(_ index: Int, after previous: RideActivity, random: inout RandomSource) -> RideSegment {
        if script.indices.contains(index) { return script[index] }
        if previous != .rest, random.chance(restProbability) {
            return RideSegment(.rest, seconds: random.uniform(in: restSeconds))
        }
        let rpm = random.uniform(in: cadenceRangeRPM)
        return RideSegment(
            random.chance(standProbability) ? .stand(rpm: rpm) : .pedal(rpm: rpm),
            seconds: random.uniform(in: pedalSeconds))
    }
}
