package import Lab
import Wire

extension SimulatedActor {
    /// A rider; the sensor is on the crank arm.
    package static func crankRider(_ plan: RidePlan, _ mount: BikeMount) -> SimulatedActor {
        SimulatedActor(.bike, .crank) { CrankRide(plan: plan, mount: mount, random: &$0) }
    }

    /// A rider, and where the sensor is worn: `wrist`, `pocket` or `thigh`; anything else counts as `ankle`.
    package static func wearingRider(_ plan: RidePlan, _ placement: SimulatedPlacement) -> SimulatedActor {
        let worn = [.thigh, .wrist, .pocket].contains(placement) ? placement : .ankle
        return SimulatedActor(.wearable, worn) { random in
            switch worn {
            case .wrist: WristRide(plan: plan, random: &random)
            default: LegRide(plan: plan, placement: worn, random: &random)
            }
        }
    }

    /// A walker, and where the sensor is worn; `frame` and `crank` count as `hip`.
    package static func walker(_ plan: WalkPlan, _ placement: SimulatedPlacement) -> SimulatedActor {
        let worn = worn(placement)
        return SimulatedActor(.wearable, worn) { random in
            Walk(plan: plan, placement: worn, random: &random) { height, random in
                switch worn {
                case .ankle: Shank(heightMetres: height, plan: plan, random: &random)
                case .hand: HeldPhone(plan: plan, random: &random)
                case .bag: Bag(plan: plan, random: &random)
                case .wrist: plan.handle.map { HeldHandle($0, random: &random) }
                case .hip, .pocket, .thigh, .frame, .crank: nil
                }
            }
        }
    }

    /// Someone who works with the hand on whose wrist the sensor is worn.
    package static func worker(_ work: HandWork) -> SimulatedActor {
        SimulatedActor(.wearable, .wrist) { WorkingHand(work: work, random: &$0) }
    }

    /// A passenger in a vehicle, with the placement of the sensor; `frame` and `crank` count as `hip`.
    package static func passenger(_ placement: SimulatedPlacement) -> SimulatedActor {
        let worn = worn(placement)
        return SimulatedActor(.wearable, worn) { Passenger(placement: worn, random: &$0) }
    }

    private static func worn(_ placement: SimulatedPlacement) -> SimulatedPlacement {
        [.frame, .crank].contains(placement) ? .hip : placement
    }
}
