/// A bike with the sensor in a holder on its frame.
struct FrameRide: Sendable {
    private var crank: Crank
    private var force: PedalForce
    private var touch: HandTouch
    private var rumble: Rumble
    private var holder: Oscillator<SIMD3<Double>>
    private var sway: Sway
    private var floor: RingingFloor?
    /// The floor's chances are its own: the ride is the same on a floor that is still.
    private var floorRandom: RandomSource
    private var wheelAngle = 0.0
    private let mount: BikeMount
    private let orientation: Rotation
    private let field: BikeField
    /// By how much the frame is turned, in radians; it forgets slowly, as a bike stands upright.
    private var nod = SIMD3<Double>(repeating: 0)

    /// 1/s: well below the slowest pedalling.
    private static let nodForgetting = 2 * Double.pi * 0.1
    /// The cadence at which `BikeMount` states its amplitudes, rad/s.
    private static let referenceRate = 80 * radiansPerSecondPerRPM

    init(plan: RidePlan, mount: BikeMount, random: inout RandomSource) {
        self.mount = mount
        crank = Crank(plan: plan, random: &random)
        force = PedalForce(mount: mount, random: &random)
        touch = HandTouch(touchesPerMinute: mount.touchesPerMinute)
        rumble = Rumble(
            rms: mount.signalRMS / max(mount.signalToNoise, 0.01), bandwidthHz: mount.rumbleBandwidthHz,
            stepSeconds: PhysicsStep.seconds)
        let softness = SIMD3(1, random.uniform(in: 0.7...0.9), random.uniform(in: 0.9...1.2))
        holder = Oscillator(frequencyHz: softness * mount.resonanceHz, damping: mount.damping)
        sway = Sway(heightMetres: mount.heightMetres)
        let tilt = SIMD3(random.uniform(in: -0.2...0.2), 1, random.uniform(in: -0.2...0.2))
        orientation = Rotation(
            axis: tilt / (tilt * tilt).sum().squareRoot(), radians: random.uniform(in: 0.2...1.3))
        field = BikeField(mount.magnets, apartFrom: random)
        floorRandom = random.branch()
        floor = mount.floor.map { RingingFloor($0, random: &floorRandom) }
    }

    /// Goes on by one physics step; the event is a completed revolution.
    mutating func advance(_ random: inout RandomSource) -> (BodyMotion, MotionEvent?) {
        let isRevolution = crank.advance(&random)
        let shaken = frameAcceleration(&random)
        holder.advance(drive: -shaken, stepSeconds: PhysicsStep.seconds)
        var felt = sway.advance(shaken)
        felt.specificForce += shaken + holder.acceleration + touch.advance(&random)
        felt.specificForce.z += standardGravity
        nod += felt.angularVelocity * PhysicsStep.seconds - nod * (Self.nodForgetting * PhysicsStep.seconds)
        let seen = field.seen(crankAngle: crank.angle, wheelAngle: wheelAngle, nod: nod)
        let motion = BodyMotion(
            specificForce: orientation.applied(to: felt.specificForce),
            angularVelocity: orientation.applied(to: felt.angularVelocity),
            magneticField: orientation.applied(to: seen))
        return (motion, isRevolution ? .revolution : nil)
    }

    /// The pedals' push is partly muscle (whatever the cadence) and partly the swinging legs (with its square).
    private mutating func frameAcceleration(_ random: inout RandomSource) -> SIMD3<Double> {
        rumble.advance(&random)
        let speed = crank.rate / Self.referenceRate
        let push = crank.effort * min(1, crank.rate / 2) * (0.4 + 0.6 * speed * speed)
        let wheelSpeed = crank.wheelRate / Self.referenceRate
        wheelAngle += crank.wheelRate * mount.flywheelRatio * PhysicsStep.seconds
        let unbalance = mount.flywheelUnbalance * wheelSpeed * wheelSpeed
        let ambient = min(max(mount.ambientShare, 0), 1)
        let roughness = (ambient * ambient + (1 - ambient * ambient) * min(crank.effort, 1)).squareRoot()
        return force.acceleration(at: crank.angle, random: &random) * push
            + SIMD3(cosine(wheelAngle), 0, sine(wheelAngle)) * unbalance + rumble.value * roughness
            + (floor?.advance(&floorRandom) ?? SIMD3(repeating: 0))
    }
}
