package import Lab

/// An activity of a rider.
package enum RideActivity: Sendable, Hashable {
    /// Pedals in the saddle, about a cadence in revolutions a minute.
    case pedal(rpm: Double)
    /// Pedals out of the saddle: the frame sways twice as much.
    case stand(rpm: Double)
    /// Holds the pedals still.
    case rest

    /// The cadence aimed at, in revolutions a minute; 0 at rest.
    package var targetRPM: Double {
        switch self {
        case .pedal(let rpm), .stand(let rpm): rpm
        case .rest: 0
        }
    }

    /// The force of the pedals on the frame, relative to sitting.
    package var effort: Double {
        switch self {
        case .pedal: 1
        case .stand: 2
        case .rest: 0
        }
    }
}

/// A rider's activities, one stretch after another: a script, and then habits for ever. The defaults are an ordinary
/// spinning class.
package struct RidePlan: Sendable, Hashable {
    /// The first stretches, in order.
    package var script: [RideSegment] = []
    /// The cadences that the rider chooses from, in revolutions a minute.
    package var cadenceRangeRPM = 55.0...110
    /// The time for which a chosen cadence is kept, in seconds.
    package var pedalSeconds = 15.0...90
    /// The duration of a rest, in seconds.
    package var restSeconds = 4.0...20
    /// The probability that a stretch of pedalling is followed by a rest instead of another cadence, `0...1`.
    package var restProbability = 0.3
    /// The probability that the rider gets out of the saddle, `0...1`.
    package var standProbability = 0.1
    /// By how much the cadence wanders about its aim: the standard deviation in revolutions a minute.
    package var wanderRPM = 2.5
    /// True if the cranks stop at once when the rider does, while the flywheel runs on.
    package var hasFreewheel = true

    /// The stretch after `index` others, the last of which was `previous`.
    package func segment(_ index: Int, after previous: RideActivity, random: inout RandomSource) -> RideSegment {
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

extension RidePlan {
    /// An ordinary spinning class, changed.
    package init(_ change: (inout RidePlan) -> Void = { _ in }) {
        self.init(script: [])
        change(&self)
    }
}

/// The rider, the crank and the flywheel: where the crank is at every instant.
package struct Crank: Sendable {
    /// The crank's angle since the start, in radians; never decreases.
    package private(set) var angle = 0.0
    /// The crank's angular velocity without the swell of each push, rad/s.
    package private(set) var rate = 0.0
    /// The crank's angular velocity, rad/s.
    package private(set) var turningRate = 0.0
    /// The crank's angular acceleration in the last step, rad/s².
    package private(set) var acceleration = 0.0
    /// The flywheel's angular velocity as that of the crank when it drives, rad/s.
    package private(set) var wheelRate = 0.0
    /// The force on the pedals, relative to sitting at ease; follows the rider within half a second.
    package private(set) var effort = 0.0

    private let plan: RidePlan
    private var activity = RideActivity.rest
    private var remainingSeconds = 0.0
    private var segmentIndex = 0
    private var wander: Wander
    private var effortWander: Wander

    /// Seconds in which a rider brings flywheel and legs to a new cadence.
    private static let riderSeconds = 1.2
    /// Seconds in which legs stop that no longer drive.
    private static let legSeconds = 0.25
    /// Seconds in which a fixed flywheel runs down under the brake, and a free one by itself.
    private static let (brakeSeconds, coastSeconds) = (1.5, 8.0)
    /// A crank slower than this stands still, rad/s.
    private static let standstillRate = 0.25
    /// The part by which the crank's rate swells with each push: the wheel's inertia keeps it small.
    private static let swell = 0.03

    package init(plan: RidePlan, random: inout RandomSource) {
        self.plan = plan
        wander = Wander(deviation: plan.wanderRPM, correlationSeconds: 8, random: &random)
        effortWander = Wander(deviation: 0.12, correlationSeconds: 5, random: &random)
    }

    private var revolutions: Int { Int(angle / (2 * Double.pi)) }

    /// Goes on by one physics step; the event is a completed revolution.
    package mutating func advance(_ random: inout RandomSource) -> TrueEvent.Kind? {
        let before = revolutions
        chooseActivity(&random)
        wander.advance(&random)
        effortWander.advance(&random)
        followRider()
        let swollenRate = rate * (1 + Self.swell * sine(2 * angle))
        acceleration = (swollenRate - turningRate) / PhysicsStep.seconds
        turningRate = swollenRate
        angle += turningRate * PhysicsStep.seconds
        return revolutions == before ? nil : .revolution
    }

    private mutating func chooseActivity(_ random: inout RandomSource) {
        remainingSeconds -= PhysicsStep.seconds
        guard remainingSeconds <= 0 else { return }
        let segment = plan.segment(segmentIndex, after: activity, random: &random)
        activity = segment.activity
        remainingSeconds += max(segment.seconds, PhysicsStep.seconds)
        segmentIndex += 1
    }

    private mutating func followRider() {
        let isPedalling = activity.targetRPM > 0
        let target = isPedalling ? max(activity.targetRPM + wander.value, 10) * radiansPerSecondPerRPM : 0
        let stopSeconds = plan.hasFreewheel ? Self.legSeconds : Self.brakeSeconds
        approach(&rate, target, seconds: isPedalling ? Self.riderSeconds : stopSeconds)
        if !isPedalling, rate < Self.standstillRate { rate = 0 }
        approach(&wheelRate, max(rate, 0), seconds: rate > wheelRate ? 0.1 : Self.coastSeconds)
        let push = isPedalling ? activity.effort * max(0.4, 1 + effortWander.value) : 0
        approach(&effort, push, seconds: isPedalling ? 0.5 : 0.1)
    }

    private func approach(_ value: inout Double, _ target: Double, seconds: Double) {
        value += (target - value) * (PhysicsStep.seconds / seconds)
    }
}
