package import Bodies
import Lab

/// What is done in a simulated trial.
struct TrialConditions: Sendable {
    /// What tells it from others in a table, a cell each.
    let cells: [String]
    /// True if the reported cadence that belongs to it is that of pedals, and not of steps.
    let isRide: Bool
    /// The person who does it, from the placement of the sensor and the seconds that it lasts.
    let actor: @Sendable (SimulatedPlacement, Double) -> SimulatedActor
}

/// Walks, and what is done without a step.
extension TrialConditions {
    /// The placements of a walker's sensor.
    static let walkPlacements: [SimulatedPlacement] = [.wrist, .hand, .hip, .bag, .pocket, .thigh, .ankle]

    /// From slow to fast, and what is not regular; what arms do is only felt at the wrist.
    static func walks(on placement: SimulatedPlacement) -> [TrialConditions] {
        var all = walks("walk", at: [30, 40, 50, 60, 75, 90, 110, 130])
        // One step takes half as long again as the other; then twice as long, and its foot hardly lands.
        all += walks("limp", at: [60, 75, 90]) { $0.limp = Limp(shortStepShare: 0.4, weakFootStrength: 0.6) }
        all += walks("drag a foot", at: [50, 70]) { $0.limp = Limp(shortStepShare: 1.0 / 3, weakFootStrength: 0.3) }
        // As weak or careful people walk. Stride times vary by about 4 % in Parkinson's disease and 8 % in Huntington's
        // (J. M. Hausdorff, M. E. Cudkowicz, R. Firtion, J. Y. Wei, A. L. Goldberger, "Gait variability and basal
        // ganglia disorders", Mov. Disord. 13 (1998) 428); a step's, half a stride, by about √2 more.
        all += walks("walk unevenly", at: [60, 80, 100]) { $0.stepVariability = 0.12 }
        if placement == .wrist { all += idleArms }
        all += [150, 170, 190, 215].map { twice("run", .run(stepsPerMinute: $0)) }
        for (name, rates, stair) in [("up", [75.0, 100], 1.0), ("down", [85, 110], -1)] {
            // A step's duration varies more on stairs than on the flat.
            all += rates.map { rate in
                twice("stairs, \(name)", .climb(stepsPerMinute: rate, stairMetres: stair * WalkPlan.stairMetres)) {
                    $0.stepVariability = 0.04
                }
            }
        }
        return all + [errands, day, stand, drive]
    }

    /// A hand in a pocket or that carries something, and hands on a handle.
    private static var idleArms: [TrialConditions] {
        let handles: [(String, Handle)] = [("behind a cart", .cart), ("holding a rail", .rail)]
        return walks("carry", at: [75, 110]) { $0.armSwing = 0.1 }
            + handles.flatMap { name, handle in
                walks(name, at: [75, 90, 110, 130]) { $0.handle = handle }
                    + [150, 170].map { twice("\(name) run", .run(stepsPerMinute: $0)) { $0.handle = handle } }
            }
    }

    private static func walks(
        _ name: String, at rates: [Double], _ change: @escaping @Sendable (inout WalkPlan) -> Void = { _ in }
    ) -> [TrialConditions] {
        rates.map { twice(name, .walk(stepsPerMinute: $0), change) }
    }

    /// An activity with stands before it, in its middle and after it; stairs are gone ten at a time, with landings.
    /// What makes the walker particular is changed in the plan.
    static func twice(
        _ name: String, _ activity: WalkActivity, _ change: @escaping @Sendable (inout WalkPlan) -> Void = { _ in }
    ) -> TrialConditions {
        let rate = activity.stepsPerMinute
        return walk("\(name) \(DecimalText.fixed(rate, decimals: 0))") { seconds in
            let half = seconds / 2 - 15
            var bout = [WalkSegment(activity, seconds: half)]
            if case .climb(_, let stairMetres) = activity {
                bout = WalkPlan.stairs(stepsPerMinute: rate, stairMetres: stairMetres, seconds: half)
            }
            let (before, between) = (WalkSegment(.stand, seconds: 8), WalkSegment(.stand, seconds: 10))
            var plan = WalkPlan {
                $0.script = [before] + bout + [between] + bout + [WalkSegment(.stand, seconds: 1000)]
            }
            change(&plan)
            return plan
        }
    }

    private static func walk(_ name: String, _ plan: @escaping @Sendable (Double) -> WalkPlan) -> TrialConditions {
        TrialConditions(cells: [name], isRide: false) { placement, seconds in .walker(plan(seconds), placement) }
    }

    /// Bouts as across a room, whose steps vary more than those of a walk along a road, with stands and gestures
    /// between.
    static let errands = walk("errands of 3 to 10 s") { _ in
        WalkPlan {
            ($0.walkingRange, $0.boutSeconds, $0.standSeconds) = (75...120, 3...10, 1.5...6)
            ($0.runProbability, $0.stepVariability, $0.cadenceWander) = (0, 0.05, 0.05)
        }
    }

    /// Short and long bouts of walking and running, with stands and gestures between.
    static let day = walk("a day's mix") { _ in WalkPlan() }

    /// Every step is false.
    static let stand = walk("stand, with gestures") { seconds in
        WalkPlan {
            $0.script = [WalkSegment(.stand, seconds: seconds + 60)]
            $0.gesturesPerMinute = 12
        }
    }

    /// Every step is false.
    private static let drive = TrialConditions(cells: ["sit in a vehicle"], isRide: false) { placement, _ in
        .passenger(placement)
    }
}

/// Rides.
extension TrialConditions {
    /// The placements of a ride's sensor.
    static let ridePlacements: [SimulatedPlacement] = [.frame, .wrist, .pocket, .thigh, .ankle]

    /// On the frame from easy to hopeless; worn from slow to fast.
    static func rides(on placement: SimulatedPlacement) -> [TrialConditions] {
        guard placement == .frame else {
            return [20, 26, 32, 40, 50, 60, 75, 90, 110, 130, 155, 180].map { worn(placement, rpm: $0) }
        }
        return [3, 1, 0.5].flatMap { noise in
            [1, 2.5, 5, 10].map { frame(secondToFirstRatio: $0, signalToNoise: noise) }
        }
    }

    /// A spinning class with the sensor on a frame that answers the pedals like this.
    ///
    /// - Parameters:
    ///   - secondToFirstRatio: amplitude at twice the crank's rate over the amplitude at the crank's rate: both legs push.
    ///   - signalToNoise: root mean square of the pedalling signal over that of everything without a period.
    static func frame(secondToFirstRatio: Double, signalToNoise: Double) -> TrialConditions {
        let cells = [signalToNoise, secondToFirstRatio].map { DecimalText.fixed($0, decimals: 1) }
        let mount = BikeMount { ($0.secondToFirstRatio, $0.signalToNoise) = (secondToFirstRatio, signalToNoise) }
        return TrialConditions(cells: cells, isRide: true) { _, _ in .frameRider(RidePlan(), mount) }
    }

    /// Spinning classes on bikes that are drawn from wide ranges, with short rests.
    static let varied = [3, 1, 0.5].flatMap { noise in
        BikeVariety.allCases.map { variety in
            TrialConditions(cells: [DecimalText.fixed(noise, decimals: 1), variety.rawValue], isRide: true) { _, _ in
                let plan = RidePlan { ($0.cadenceRangeRPM, $0.restSeconds, $0.wanderRPM) = (45...115, 3...20, 3) }
                return .frameRider(plan) { .drawn(variety, signalToNoise: noise, random: &$0) }
            }
        }
    }

    /// A rider who wears the sensor and keeps to a cadence, and after a rest in the middle to nine tenths of it.
    static func worn(_ placement: SimulatedPlacement, rpm: Double) -> TrialConditions {
        let cells = [placement.rawValue, DecimalText.fixed(rpm, decimals: 0)]
        return TrialConditions(cells: cells, isRide: true) { placement, seconds in
            let script = [
                RideSegment(.rest, seconds: 10), RideSegment(.pedal(rpm: rpm), seconds: seconds / 2),
                RideSegment(.rest, seconds: 20), RideSegment(.pedal(rpm: rpm * 0.9), seconds: seconds / 2 - 45),
                RideSegment(.rest, seconds: 1000),
            ]
            return .wearingRider(RidePlan { ($0.script, $0.wanderRPM) = (script, 1.5) }, placement)
        }
    }
}

extension WalkPlan {
    /// A script on stairs, `seconds` long: flights of ten stairs, and landings of two seconds.
    package static func stairs(
        stepsPerMinute: Double, stairMetres: Double = stairMetres, seconds: Double
    ) -> [WalkSegment] {
        let flightSeconds = 10 * 60 / max(stepsPerMinute, 20)
        let count = Int(min(max(seconds / (flightSeconds + landingSeconds), 1), 1000))
        return (0..<count).flatMap { _ in
            flight(stepsPerMinute: stepsPerMinute, stairMetres: stairMetres, seconds: flightSeconds)
        }
    }
}
