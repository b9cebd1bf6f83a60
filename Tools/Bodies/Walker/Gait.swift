package import Lab

/// The walker's feet: where in which step the walker is at every instant.
package struct Gait: Sendable {
    /// The progress of the present step, `0 ..< 1`; its end is the contact of a foot.
    package private(set) var phase = 0.0
    /// True if the step that is under way ends on the left foot.
    package private(set) var isLeft = false
    /// The duration of the step that is under way, in seconds, and of an even step at this cadence.
    package private(set) var stepSeconds = 0.55
    package private(set) var evenStepSeconds = 0.55
    /// The length of the step that is under way, in even ones at this cadence.
    package private(set) var stepLength = 1.0
    /// True if a step is under way.
    package private(set) var isStepping = false
    /// True if the gait is running.
    package private(set) var isRunning = false

    private let plan: WalkPlan
    private let asymmetry: Double
    private var activity = WalkActivity.stand
    private var remainingSeconds = 0.0
    private var segmentIndex = 0
    /// The steps of this bout that have begun.
    private var stepCount = 0
    private var wander: Wander

    /// The time and the length of the first steps of a bout, in those of the others: the body has to be set in motion
    /// first, and its gait is steady after about three steps (R. A. Mann, J. L. Hagy, V. White, D. Liddell, "The
    /// initiation of gait", J. Bone Joint Surg. 61-A (1979) 232). The first one ends with the first contact; from that
    /// to the second is a quarter longer than from one to the next later, at the feet of walkers on record.
    private static let firstSteps = [Step(duration: 1.33, length: 0.75), Step(duration: 1.25, length: 0.9)]
    /// The last step sets the foot down beside the other, or a little before it, and is done a little sooner.
    private static let lastStep = Step(duration: 0.9, length: 0.6)

    /// A step's time and length, in those of an even one.
    private struct Step {
        let duration: Double
        let length: Double
        /// The time of the even step at the same speed, which goes with the square of the cadence.
        var slowness: Double { (duration / length).squareRoot() }
    }

    /// The vertical speed of the walker, in m/s; a stair a step, or as the lift does.
    package var riseMetresPerSecond: Double {
        switch activity {
        case .climb(_, let stairMetres): stairMetres / stepSeconds
        case .ride(let metresPerSecond): metresPerSecond
        case .stand, .walk, .run: 0
        }
    }

    /// The height of the stair that each step climbs, in metres; less than 0 where it goes down.
    package var stairMetres: Double {
        if case .climb(_, let stairMetres) = activity { stairMetres } else { 0 }
    }

    /// The strength of the present step: less than 1 where it ends on a weak foot.
    package var strength: Double { plan.limp.strength(isWeak: isLeft) }

    /// The same of the step that has just ended, when a foot touches the ground.
    package var landedStrength: Double { plan.limp.strength(isWeak: !isLeft) }

    /// The phase of the stride (two steps), in radians.
    package var stridePhase: Double { .pi * (phase + (isLeft ? 1 : 0)) }

    package init(plan: WalkPlan, random: inout RandomSource) {
        self.plan = plan
        asymmetry = random.uniform(in: -0.03...0.03)
        wander = Wander(
            deviation: plan.cadenceWander, correlationSeconds: 6, random: &random)
    }

    /// Goes on by one physics step; true when a foot touched the ground in it.
    package mutating func advance(_ random: inout RandomSource) -> Bool {
        wander.advance(&random)
        remainingSeconds -= PhysicsStep.seconds
        guard isStepping else {
            if remainingSeconds <= 0 { chooseActivity(&random) }
            return false
        }
        phase += PhysicsStep.seconds / stepSeconds
        guard phase >= 1 else { return false }
        phase -= 1
        isLeft.toggle()
        if remainingSeconds <= 0 { chooseActivity(&random) } else { beginStep(&random) }
        return true
    }

    private mutating func chooseActivity(_ random: inout RandomSource) {
        let wasStepping = isStepping
        let segment = plan.segment(segmentIndex, after: activity, random: &random)
        segmentIndex += 1
        activity = segment.activity
        remainingSeconds = max(segment.seconds, PhysicsStep.seconds)
        isStepping = activity.isOnFoot
        isRunning = activity.isRunning
        if !wasStepping { stepCount = 0 }
        if isStepping { beginStep(&random) } else { phase = 0 }
    }

    private mutating func beginStep(_ random: inout RandomSource) {
        let mean = 60 / max(activity.stepsPerMinute, 20)
        let side = (isLeft ? asymmetry : -asymmetry) + plan.limp.lengthening(isWeak: isLeft)
        let variation = 1 + wander.value + side + plan.stepVariability * random.deviate()
        let step = step(lasting: mean)
        stepLength = step.length
        evenStepSeconds = mean * step.slowness
        stepSeconds = mean * step.duration * min(max(variation, 0.6), 1.6)
        stepCount += 1
    }

    /// The step that begins, from the duration of an even one in seconds.
    private func step(lasting seconds: Double) -> Step {
        // A run is at its pace after the first step, and ends in one.
        if stepCount < (isRunning ? 1 : Self.firstSteps.count) { return Self.firstSteps[stepCount] }
        let isLast = !isRunning && plan.isStop(segmentIndex) && remainingSeconds <= Self.lastStep.duration * seconds
        return isLast ? Self.lastStep : Step(duration: 1, length: 1)
    }
}
