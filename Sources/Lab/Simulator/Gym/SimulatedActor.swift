/// Who moves the sensor, how, and where it sits.
public enum SimulatedActor: Sendable, Hashable {
    /// A rider; the sensor sits on the frame.
    case frameRider(RidePlan, BikeMount)
    /// A rider; the sensor sits on the crank arm.
    case crankRider(RidePlan, BikeMount)
    /// A rider, and where the sensor is worn: `wrist`, `pocket` or `thigh`; anything else counts as `ankle`.
    case wearingRider(RidePlan, SimulatedPlacement)
    /// A walker, and where the sensor is worn; `frame` and `crank` count as `hip`.
    case walker(WalkPlan, SimulatedPlacement)
    /// Someone who works with the hand on whose wrist the sensor is worn.
    case worker(HandWork)
    /// Someone who sits in a vehicle, and where the sensor is worn; `frame` and `crank` count as `hip`.
    case passenger(SimulatedPlacement)

    /// What the sensor is on.
    public var kind: SimulatedKind {
        switch self {
        case .frameRider, .crankRider: .bike
        case .wearingRider, .walker, .worker, .passenger: .wearable
        }
    }

    /// Where the sensor sits.
    public var placement: SimulatedPlacement {
        switch self {
        case .frameRider: .frame
        case .crankRider: .crank
        case .wearingRider(_, let placement): [.thigh, .wrist, .pocket].contains(placement) ? placement : .ankle
        case .walker(_, let placement), .passenger(let placement):
            [.frame, .crank].contains(placement) ? .hip : placement
        case .worker: .wrist
        }
    }
}

/// The physics of an actor, stepped at `PhysicsStep`.
enum ActorPhysics: Sendable {
    case frame(FrameRide)
    case crank(CrankRide)
    case leg(LegRide)
    case wrist(WristRide)
    case walk(Walk)
    case work(WorkingHand)
    case drive(Passenger)
    /// Lent to a frame that is being made.
    case lent

    init(_ actor: SimulatedActor, random: inout RandomSource) {
        switch actor {
        case .frameRider(let plan, let mount): self = .frame(FrameRide(plan: plan, mount: mount, random: &random))
        case .crankRider(let plan, let mount): self = .crank(CrankRide(plan: plan, mount: mount, random: &random))
        case .wearingRider(let plan, .wrist): self = .wrist(WristRide(plan: plan, random: &random))
        case .wearingRider(let plan, _):
            self = .leg(LegRide(plan: plan, placement: actor.placement, random: &random))
        case .walker(let plan, _):
            self = .walk(Walk(plan: plan, placement: actor.placement, random: &random))
        case .worker(let work): self = .work(WorkingHand(work: work, random: &random))
        case .passenger: self = .drive(Passenger(placement: actor.placement, random: &random))
        }
    }
}
