/// The conditions of a simulated walk.
package enum WalkConditions: SimulatedConditions {
    package static func cadence(of second: CountSecond) -> Double { second.spm }

    /// Walks at about a rate of steps a minute, with a stand in the middle.
    case walk(stepsPerMinute: Double)
    /// Walks with one step half as long again as the other.
    case limp(stepsPerMinute: Double)
    /// Walks with one step twice as long as the other, which hardly lands.
    case drag(stepsPerMinute: Double)
    /// Walks with steps of which each takes another time, as weak or careful people do.
    case uneven(stepsPerMinute: Double)
    /// Runs, with a stand in the middle.
    case run(stepsPerMinute: Double)
    /// Walks with an arm that hardly swings: the hand is in a pocket or carries something.
    case carry(stepsPerMinute: Double)
    /// Walks or runs with the hands on a handle.
    case hold(Handle, WalkActivity)
    /// Goes up or down stairs, ten at a time with landings, and stands in the middle.
    case stairs(stepsPerMinute: Double, isUp: Bool)
    /// Walks a few steps at a time, no two quite alike, stands between them and moves the arms.
    case errands
    /// Walks and runs in short and long bouts, stands between them and moves the arms.
    case day
    /// Stands and moves arms or legs: every step is false.
    case stand
    /// A passenger in a vehicle: every step is false.
    case drive

    /// The placements of a walker's sensor.
    package static let placements: [SimulatedPlacement] = [.wrist, .hand, .hip, .bag, .pocket, .thigh, .ankle]

    /// From slow to fast, and what is not regular; what arms do is only felt at the wrist.
    package static func all(on placement: SimulatedPlacement) -> [WalkConditions] {
        [30, 40, 50, 60, 75, 90, 110, 130].map { .walk(stepsPerMinute: $0) }
            + [60, 75, 90].map { .limp(stepsPerMinute: $0) }
            + [50, 70].map { .drag(stepsPerMinute: $0) }
            + [60, 80, 100].map { .uneven(stepsPerMinute: $0) }
            + (placement == .wrist ? arms : [])
            + [150, 170, 190, 215].map { .run(stepsPerMinute: $0) }
            + [75, 100].map { .stairs(stepsPerMinute: $0, isUp: true) }
            + [85, 110].map { .stairs(stepsPerMinute: $0, isUp: false) }
            + [.errands, .day, .stand, .drive]
    }

    /// The walks of arms that hardly swing.
    private static let arms: [WalkConditions] =
        [75, 110].map { .carry(stepsPerMinute: $0) }
        + Handle.allCases.flatMap { handle in
            [75, 90, 110, 130].map { .hold(handle, .walk(stepsPerMinute: $0)) }
                + [150, 170].map { .hold(handle, .run(stepsPerMinute: $0)) }
        }

    private static let limp = Limp(shortStepShare: 0.4, weakFootStrength: 0.6)
    private static let drag = Limp(shortStepShare: 1.0 / 3, weakFootStrength: 0.3)
    /// Stride times vary by about 4 % in Parkinson's disease and 8 % in Huntington's (J. M. Hausdorff, M. E. Cudkowicz,
    /// R. Firtion, J. Y. Wei, A. L. Goldberger, "Gait variability and basal ganglia disorders", Mov. Disord. 13 (1998)
    /// 428); a step's, half a stride, by about √2 more.
    private static let unevenVariability = 0.12
    private static let gesturesPerMinute = 12.0
    private static let idleArmSwing = 0.1
    /// A step's duration varies more on stairs than on the flat.
    private static let stairVariability = 0.04
    /// Bouts as across a room, whose steps vary more than those of a walk along a road.
    private static let errandsPlan = WalkPlan(
        walkingRange: 75...120, boutSeconds: 3...10, standSeconds: 1.5...6, runProbability: 0, stepVariability: 0.05,
        cadenceWander: 0.05)

    /// The walker under these conditions for a time, in seconds.
    package func actor(_ placement: SimulatedPlacement, seconds: Int) -> SimulatedActor {
        var plan = WalkPlan()
        let half = Double(seconds) / 2 - 15
        switch self {
        case .walk(let rate): plan.script = Self.script(.walk(stepsPerMinute: rate), seconds: half)
        case .limp(let rate):
            plan.script = Self.script(.walk(stepsPerMinute: rate), seconds: half)
            plan.limp = Self.limp
        case .drag(let rate):
            plan.script = Self.script(.walk(stepsPerMinute: rate), seconds: half)
            plan.limp = Self.drag
        case .uneven(let rate):
            plan.script = Self.script(.walk(stepsPerMinute: rate), seconds: half)
            plan.stepVariability = Self.unevenVariability
        case .carry(let rate):
            plan.script = Self.script(.walk(stepsPerMinute: rate), seconds: half)
            plan.armSwing = Self.idleArmSwing
        case .hold(let handle, let activity):
            plan.script = Self.script(activity, seconds: half)
            plan.handle = handle
        case .run(let rate): plan.script = Self.script(.run(stepsPerMinute: rate), seconds: half)
        case .stairs(let rate, let isUp):
            let height = isUp ? WalkPlan.stairMetres : -WalkPlan.stairMetres
            plan.script = Self.script(WalkPlan.stairs(stepsPerMinute: rate, stairMetres: height, seconds: half))
            plan.stepVariability = Self.stairVariability
        case .errands: plan = Self.errandsPlan
        case .day: break
        case .stand:
            plan.script = [WalkSegment(.stand, seconds: Double(seconds) + 60)]
            plan.gesturesPerMinute = Self.gesturesPerMinute
        case .drive: return .passenger(placement)
        }
        return .walker(plan, placement)
    }

    private static func script(_ activity: WalkActivity, seconds: Double) -> [WalkSegment] {
        script([WalkSegment(activity, seconds: seconds)])
    }

    private static func script(_ bout: [WalkSegment]) -> [WalkSegment] {
        [WalkSegment(.stand, seconds: 8)] + bout + [WalkSegment(.stand, seconds: 10)] + bout
            + [WalkSegment(.stand, seconds: 1000)]
    }

    /// The conditions in words.
    var words: String {
        switch self {
        case .walk(let rate): "walk \(EvaluationReport.text(rate, decimals: 0))"
        case .limp(let rate): "limp \(EvaluationReport.text(rate, decimals: 0))"
        case .drag(let rate): "drag a foot \(EvaluationReport.text(rate, decimals: 0))"
        case .uneven(let rate): "walk unevenly \(EvaluationReport.text(rate, decimals: 0))"
        case .carry(let rate): "carry \(EvaluationReport.text(rate, decimals: 0))"
        case .hold(.cart, let activity): "behind a cart \(Self.words(activity))"
        case .hold(.rail, let activity): "holding a rail \(Self.words(activity))"
        case .stairs(let rate, true): "stairs, up \(EvaluationReport.text(rate, decimals: 0))"
        case .stairs(let rate, false): "stairs, down \(EvaluationReport.text(rate, decimals: 0))"
        case .run(let rate): "run \(EvaluationReport.text(rate, decimals: 0))"
        case .errands: "errands of 3 to 10 s"
        case .day: "a day's mix"
        case .stand: "stand, with gestures"
        case .drive: "sit in a vehicle"
        }
    }

    private static func words(_ activity: WalkActivity) -> String {
        let rate = EvaluationReport.text(activity.stepsPerMinute, decimals: 0)
        return activity.isRunning ? "run \(rate)" : rate
    }
}

extension TrialTable<WalkConditions> {
    /// Walks, a line for each of their conditions.
    package init(walks: [SimulatedTrial<WalkConditions>]) {
        self.init(
            columns: [
                Column(heading: .words("steps a minute")) { $0[0].conditions.words },
                .number("walks") { "\($0.count)" }, .mean("mean %", \.stepError), .worst("worst %", \.stepError),
                .number("total ratio") { walks in
                    let truth = walks.reduce(0) { $0 + $1.truth.steps }
                    let steps = walks.reduce(0) { $0 + $1.counted.steps }
                    return EvaluationReport.text(truth > 0 ? Double(steps) / Double(truth) : nil, decimals: 3)
                },
                .share("silent %", \.silentSeconds, of: \.movingSeconds),
                .share("told at rest %", \.falseSeconds, of: \.restSeconds),
                .number("false steps/min") { walks in
                    let hasSteps = walks.contains { $0.truth.steps > 0 }
                    return hasSteps ? "" : Column.perMinute("") { $0.counted.steps }.cell(walks)
                },
                .perMinute("revolutions/min") { $0.counted.revolutions },
            ], trials: walks)
    }
}

/// The conditions that make a simulated ride hard to count.
package enum RideConditions: SimulatedConditions {
    package static func cadence(of second: CountSecond) -> Double { second.rpm }

    /// The sensor is on the bike's frame, and this is how the frame answers the pedals.
    ///
    /// - Parameters:
    ///   - secondToFirstRatio: amplitude at twice the crank's rate over the amplitude at the crank's rate: both legs push.
    ///   - signalToNoise: root mean square of the pedalling signal over that of everything without a period.
    case frame(secondToFirstRatio: Double, signalToNoise: Double)
    /// The rider wears the sensor, and pedals at about a cadence in revolutions a minute.
    case worn(rpm: Double)

    /// The placements of a ride's sensor.
    package static let placements: [SimulatedPlacement] = [.frame, .wrist, .pocket, .thigh, .ankle]

    /// On the frame from easy to hopeless; worn from slow to fast.
    package static func all(on placement: SimulatedPlacement) -> [RideConditions] {
        guard placement == .frame else {
            return [20, 26, 32, 40, 50, 60, 75, 90, 110, 130, 155, 180].map { .worn(rpm: $0) }
        }
        return [3, 1, 0.5].flatMap { noise in
            [1, 2.5, 5, 10].map { .frame(secondToFirstRatio: $0, signalToNoise: noise) }
        }
    }

    var signalToNoise: Double? { if case .frame(_, let noise) = self { noise } else { nil } }
    var secondToFirstRatio: Double? { if case .frame(let ratio, _) = self { ratio } else { nil } }
    var rpm: Double? { if case .worn(let rpm) = self { rpm } else { nil } }

    /// By how much the cadence of a rider wanders who keeps to one, in rpm.
    private static let keptWanderRPM = 1.5

    /// The rider under these conditions: on the frame a spinning class, with a worn sensor a rider who keeps to a
    /// cadence, and after a rest in the middle to nine tenths of it.
    package func actor(_ placement: SimulatedPlacement, seconds: Int) -> SimulatedActor {
        switch self {
        case .frame(let ratio, let noise):
            return .frameRider(RidePlan(), BikeMount(secondToFirstRatio: ratio, signalToNoise: noise))
        case .worn(let rpm):
            let script = [
                RideSegment(.rest, seconds: 10), RideSegment(.pedal(rpm: rpm), seconds: Double(seconds) / 2),
                RideSegment(.rest, seconds: 20), RideSegment(.pedal(rpm: rpm * 0.9), seconds: Double(seconds) / 2 - 45),
                RideSegment(.rest, seconds: 1000),
            ]
            return .wearingRider(RidePlan(script: script, wanderRPM: Self.keptWanderRPM), placement)
        }
    }
}

extension TrialTable<RideConditions> {
    /// The share of a ride's seconds from which on the ride is called wrong by an octave.
    static var octaveRideShare: Double { 0.1 }

    /// Rides, a line for each of their conditions; the first of them decides by what these are told apart.
    package init(rides: [SimulatedTrial<RideConditions>]) {
        let conditions: [Column] =
            rides.first?.placement == .frame
            ? [
                .number("signal/noise") { EvaluationReport.text($0[0].conditions.signalToNoise, decimals: 1) },
                .number("2x/1x") { EvaluationReport.text($0[0].conditions.secondToFirstRatio, decimals: 1) },
            ]
            : [
                .number("worn") { $0[0].placement.rawValue },
                .number("rpm") { EvaluationReport.text($0[0].conditions.rpm, decimals: 0) },
            ]
        self.init(
            columns: conditions + [
                .number("rides") { "\($0.count)" }, .mean("revolutions mean %", \.revolutionError),
                .worst("worst %", \.revolutionError),
                .number("rpm MAE") { rides in
                    EvaluationReport.text(
                        ErrorDistribution(rides.flatMap(\.cadence.absoluteErrors))?.mean, decimals: 2)
                },
                .share("within 5 rpm %", \.rightSeconds, of: \.movingSeconds),
                .share("silent %", \.silentSeconds, of: \.movingSeconds),
                .share("octave %", \.octaveSeconds, of: \.movingSeconds),
                .number("octave rides") { rides in
                    let wrong = rides.count {
                        Double($0.cadence.octaveSeconds) > Self.octaveRideShare * Double($0.cadence.movingSeconds)
                    }
                    return "\(wrong)"
                },
                .share("false at rest %", \.falseSeconds, of: \.restSeconds),
                .perMinute("steps/min") { $0.counted.steps },
            ], trials: rides)
    }
}
