/// A stretch of a walker's day.
package struct WalkSegment: Sendable, Hashable {
    /// The walker's activity.
    package var activity: WalkActivity
    /// For how long, in seconds; a step that has begun is finished first.
    package var seconds: Double

    package init(_ activity: WalkActivity, seconds: Double) {
        self.activity = activity
        self.seconds = seconds
    }
}

/// An activity of a walker.
package enum WalkActivity: Sendable, Hashable {
    /// Stands, swaying a little.
    case stand
    case walk(stepsPerMinute: Double)
    case run(stepsPerMinute: Double)
    /// Goes up stairs at a cadence in steps a minute, a stair a step; down where the stairs' height is negative.
    case climb(stepsPerMinute: Double, stairMetres: Double)
    /// Stands in a lift that goes up at a speed in m/s; down where it is negative.
    case ride(metresPerSecond: Double)

    /// The cadence aimed at, in steps a minute; 0 when standing.
    package var stepsPerMinute: Double {
        switch self {
        case .stand, .ride: 0
        case .walk(let stepsPerMinute), .run(let stepsPerMinute), .climb(let stepsPerMinute, _): stepsPerMinute
        }
    }

    /// True if there are steps.
    var isOnFoot: Bool {
        switch self {
        case .stand, .ride: false
        case .walk, .run, .climb: true
        }
    }

    /// True if both feet leave the ground.
    package var isRunning: Bool {
        if case .run = self { true } else { false }
    }
}

/// A walker's activities, one stretch after another: a script, and then habits for ever.
package struct WalkPlan: Sendable, Hashable {
    /// The first stretches, in order.
    package var script: [WalkSegment]
    /// The cadences of walking, in steps a minute.
    package var walkingRange: ClosedRange<Double>
    /// The cadences of running, in steps a minute.
    package var runningRange: ClosedRange<Double> = 150...185
    /// The duration of a bout of walking or running, in seconds.
    package var boutSeconds: ClosedRange<Double>
    /// The time for which the walker stands between bouts, in seconds.
    package var standSeconds: ClosedRange<Double>
    /// The probability that a bout is run, `0...1`.
    package var runProbability: Double
    /// Standard deviation of a step's duration from one step to the next, as a fraction.
    ///
    /// J. M. Hausdorff, L. Zemany, C.-K. Peng, A. L. Goldberger, "Maturation of gait dynamics", J. Appl. Physiol. 86
    /// (1999) 1040: the stride time of healthy young adults varies by 1.3 %; a step's, half a stride, by about √2 more.
    package var stepVariability: Double
    /// Slow drift of the cadence within a bout: standard deviation as a fraction.
    package var cadenceWander: Double
    /// Movements of a standing walker's arm or leg that carries the sensor, a minute.
    package var gesturesPerMinute: Double
    /// The difference of left and right.
    package var limp = Limp.none
    /// The swing of an arm, relative to the usual one: little where the hand carries something or is in a pocket.
    package var armSwing = 1.0
    /// The support of the hands; only a wrist feels it.
    package var handle: Handle?

    /// A plan from its parts; the defaults are an ordinary day's mix.
    package init(
        script: [WalkSegment] = [], walkingRange: ClosedRange<Double> = 85...130,
        boutSeconds: ClosedRange<Double> = 8...90, standSeconds: ClosedRange<Double> = 3...30,
        runProbability: Double = 0.15, stepVariability: Double = 0.02, cadenceWander: Double = 0.02,
        gesturesPerMinute: Double = 8
    ) {
        self.script = script
        self.walkingRange = walkingRange
        self.boutSeconds = boutSeconds
        self.standSeconds = standSeconds
        self.runProbability = runProbability
        self.stepVariability = stepVariability
        self.cadenceWander = cadenceWander
        self.gesturesPerMinute = gesturesPerMinute
    }

    /// True if the walker stops at the end of a stretch on foot, which `index` stretches are begun with.
    func isStop(_ index: Int) -> Bool {
        !script.indices.contains(index) || !script[index].activity.isOnFoot
    }

    /// The stretch after `index` others, the last of which was `previous`.
    func segment(_ index: Int, after previous: WalkActivity, random: inout RandomSource) -> WalkSegment {
        if script.indices.contains(index) { return script[index] }
        if previous != .stand { return WalkSegment(.stand, seconds: random.uniform(in: standSeconds)) }
        let seconds = random.uniform(in: boutSeconds)
        if random.chance(runProbability) {
            return WalkSegment(.run(stepsPerMinute: random.uniform(in: runningRange)), seconds: seconds)
        }
        return WalkSegment(.walk(stepsPerMinute: random.uniform(in: walkingRange)), seconds: seconds)
    }
}

extension WalkPlan {
    /// The height and the depth of an ordinary stair, in metres.
    package static let stairMetres = 0.17
    static let treadMetres = 0.29

    /// A script on stairs, `seconds` long: flights of `flightSteps` stairs, and landings of two seconds.
    package static func stairs(
        stepsPerMinute: Double, stairMetres: Double = stairMetres, flightSteps: Int = 10, seconds: Double
    ) -> [WalkSegment] {
        let flight = Double(max(flightSteps, 1)) * 60 / max(stepsPerMinute, 20)
        let count = Int(min(max(seconds / (flight + landingSeconds), 1), 1000))
        return (0..<count).flatMap { _ in
            Self.flight(stepsPerMinute: stepsPerMinute, stairMetres: stairMetres, seconds: flight)
        }
    }

    /// Stairs, `seconds` long, and a landing.
    private static func flight(stepsPerMinute: Double, stairMetres: Double, seconds: Double) -> [WalkSegment] {
        [
            WalkSegment(.climb(stepsPerMinute: stepsPerMinute, stairMetres: stairMetres), seconds: seconds),
            WalkSegment(.walk(stepsPerMinute: stepsPerMinute), seconds: landingSeconds),
        ]
    }

    private static let landingSeconds = 2.0

    /// A script through a building: walks, goes up `storeys` on foot and down again, and rides the lift as high.
    ///
    /// A storey is two flights with a landing of two seconds between them. At the end the walker stands for good.
    package static func building(storeys: Int, storeyMetres: Double = 3, stepsPerMinute: Double = 100) -> WalkPlan {
        let walk = WalkSegment(.walk(stepsPerMinute: 110), seconds: 30)
        let flight = storeyMetres / 2 / stairMetres * 60 / stepsPerMinute
        var script = [WalkSegment(.stand, seconds: 5), walk]
        for stair in [stairMetres, -stairMetres] {
            for _ in 0..<max(2 * storeys, 0) {
                script += Self.flight(stepsPerMinute: stepsPerMinute, stairMetres: stair, seconds: flight)
            }
            script.append(walk)
        }
        for speed in [1.0, -1.0] {
            script += [
                WalkSegment(.stand, seconds: 4),
                WalkSegment(.ride(metresPerSecond: speed), seconds: storeyMetres * Double(storeys)),
                WalkSegment(.stand, seconds: 4), walk,
            ]
        }
        return WalkPlan(script: script + [WalkSegment(.stand, seconds: 1e9)], gesturesPerMinute: 0)
    }
}
