/// The rider, the crank and the flywheel: where the crank is at every instant.
struct Crank: Sendable {
    /// The crank's angle since the start, in radians; never decreases.
    private(set) var angle = 0.0
    /// The crank's angular velocity without the swell of each push, rad/s.
    private(set) var rate = 0.0
    /// The crank's angular velocity, rad/s.
    private(set) var turningRate = 0.0
    /// The crank's angular acceleration in the last step, rad/s².
    private(set) var acceleration = 0.0
    /// The flywheel's angular velocity as that of the crank when it drives, rad/s.
    private(set) var wheelRate = 0.0
    /// The force on the pedals, relative to sitting at ease; follows the rider within half a second.
    private(set) var effort = 0.0
    /// Revolutions completed.
    var revolutions: Int { Int(angle / (2 * Double.pi)) }

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
    /// Seconds in which a fixed flywheel runs down under the brake.
    private static let brakeSeconds = 1.5
    /// Seconds in which a free flywheel runs down.
    private static let coastSeconds = 8.0
    /// A crank slower than this stands still, rad/s.
    private static let standstillRate = 0.25
    /// The part by which the crank's rate swells with each push: the wheel's inertia keeps it small.
    private static let swell = 0.03

    init(plan: RidePlan, random: inout RandomSource) {
        self.plan = plan
        wander = Wander(
            deviation: plan.wanderRPM, correlationSeconds: 8, stepSeconds: PhysicsStep.seconds, random: &random)
        effortWander = Wander(
            deviation: 0.12, correlationSeconds: 5, stepSeconds: PhysicsStep.seconds, random: &random)
    }

    /// Goes on by one physics step; true when a revolution was completed in it.
    mutating func advance(_ random: inout RandomSource) -> Bool {
        let before = revolutions
        chooseActivity(&random)
        wander.advance(&random)
        effortWander.advance(&random)
        followRider()
        let swollenRate = rate * (1 + Self.swell * sine(2 * angle))
        acceleration = (swollenRate - turningRate) / PhysicsStep.seconds
        turningRate = swollenRate
        angle += turningRate * PhysicsStep.seconds
        return revolutions != before
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
        approach(&rate, target, seconds: legTime(isPedalling))
        if !isPedalling, rate < Self.standstillRate { rate = 0 }
        approach(&wheelRate, max(rate, 0), seconds: rate > wheelRate ? 0.1 : Self.coastSeconds)
        let push = isPedalling ? activity.effort * max(0.4, 1 + effortWander.value) : 0
        approach(&effort, push, seconds: isPedalling ? 0.5 : 0.1)
    }

    private func legTime(_ isPedalling: Bool) -> Double {
        if isPedalling { return Self.riderSeconds }
        return plan.hasFreewheel ? Self.legSeconds : Self.brakeSeconds
    }

    private func approach(_ value: inout Double, _ target: Double, seconds: Double) {
        value += (target - value) * (PhysicsStep.seconds / seconds)
    }
}

/// A bike with the sensor on its crank arm: gravity goes round it once a revolution.
struct CrankRide: Sendable {
    private var crank: Crank
    private var rumble: Rumble
    private let radiusMetres: Double
    private let startAngle: Double
    private let orientation: Rotation
    private let field: BikeField

    init(plan: RidePlan, mount: BikeMount, random: inout RandomSource) {
        crank = Crank(plan: plan, random: &random)
        rumble = Rumble(
            rms: mount.signalRMS / max(mount.signalToNoise, 0.01), bandwidthHz: mount.rumbleBandwidthHz,
            stepSeconds: PhysicsStep.seconds)
        radiusMetres = random.uniform(in: 0.05...0.15)
        startAngle = random.uniform(in: 0...(2 * .pi))
        orientation = Rotation(axis: SIMD3(0, 0, 1), radians: random.uniform(in: -0.3...0.3))
        field = BikeField(mount.magnets, apartFrom: random)
    }

    /// Goes on by one physics step; the event is a completed revolution.
    mutating func advance(_ random: inout RandomSource) -> (BodyMotion, MotionEvent?) {
        let isRevolution = crank.advance(&random)
        rumble.advance(&random)
        let angle = crank.angle + startAngle
        // x points outwards along the arm, y with the turning, z along the axle.
        let gravity = SIMD3(cosine(angle), -sine(angle), 0) * standardGravity
        let turning = SIMD3(-crank.turningRate * crank.turningRate, crank.acceleration, 0) * radiusMetres
        let motion = BodyMotion(
            specificForce: orientation.applied(to: gravity + turning + rumble.value),
            angularVelocity: SIMD3(0, 0, crank.turningRate),
            magneticField: orientation.applied(to: field.seen(turnedBy: angle)))
        return (motion, isRevolution ? .revolution : nil)
    }
}
