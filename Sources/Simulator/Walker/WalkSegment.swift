/// A stretch of a walker's day.
public struct WalkSegment: Sendable, Hashable {
    /// What the walker does.
    public var activity: WalkActivity
    /// For how long, in seconds; a step that has begun is finished first.
    public var seconds: Double

    /// A stretch from its parts.
    public init(_ activity: WalkActivity, seconds: Double) {
        self.activity = activity
        self.seconds = seconds
    }
}

/// What a walker does.
public enum WalkActivity: Sendable, Hashable {
    /// Stands, swaying a little.
    case stand
    /// Walks at a cadence in steps a minute.
    case walk(stepsPerMinute: Double)
    /// Runs at a cadence in steps a minute.
    case run(stepsPerMinute: Double)

    /// The cadence aimed at, in steps a minute; 0 when standing.
    var stepsPerMinute: Double {
        switch self {
        case .stand: 0
        case .walk(let stepsPerMinute), .run(let stepsPerMinute): stepsPerMinute
        }
    }

    /// Whether both feet leave the ground.
    var isRunning: Bool {
        if case .run = self { true } else { false }
    }
}

/// What a walker does one stretch after another: a script, and then habits for ever.
public struct WalkPlan: Sendable, Hashable {
    /// What is walked first, in order.
    public var script: [WalkSegment]
    /// The cadences of walking, in steps a minute.
    public var walkingRange: ClosedRange<Double>
    /// The cadences of running, in steps a minute.
    public var runningRange: ClosedRange<Double>
    /// How long a bout of walking or running lasts, in seconds.
    public var boutSeconds: ClosedRange<Double>
    /// How long the walker stands between bouts, in seconds.
    public var standSeconds: ClosedRange<Double>
    /// How often a bout is run, `0...1`.
    public var runProbability: Double
    /// Standard deviation of a step's duration from one step to the next, as a fraction.
    ///
    /// J. M. Hausdorff, L. Zemany, C.-K. Peng, A. L. Goldberger, "Maturation of gait dynamics", J. Appl. Physiol. 86
    /// (1999) 1040: the stride time of healthy young adults varies by 1.3 %; a step's, half a stride, by about √2 more.
    public var stepVariability: Double
    /// Slow drift of the cadence within a bout: standard deviation as a fraction.
    public var cadenceWander: Double
    /// How often a standing walker moves the arm or the leg that carries the sensor, a minute.
    public var gesturesPerMinute: Double

    /// A plan from its parts; the defaults are an ordinary day's mix.
    public init(
        script: [WalkSegment] = [], walkingRange: ClosedRange<Double> = 85...130,
        runningRange: ClosedRange<Double> = 150...185, boutSeconds: ClosedRange<Double> = 8...90,
        standSeconds: ClosedRange<Double> = 3...30, runProbability: Double = 0.15, stepVariability: Double = 0.02,
        cadenceWander: Double = 0.02, gesturesPerMinute: Double = 8
    ) {
        self.script = script
        self.walkingRange = walkingRange
        self.runningRange = runningRange
        self.boutSeconds = boutSeconds
        self.standSeconds = standSeconds
        self.runProbability = runProbability
        self.stepVariability = stepVariability
        self.cadenceWander = cadenceWander
        self.gesturesPerMinute = gesturesPerMinute
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
