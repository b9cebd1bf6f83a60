/// Who moves the sensor, how, and where it sits.
public enum SimulatedActor: Sendable, Hashable {
    /// A rider; the sensor sits on the frame.
    case frameRider(RidePlan, BikeMount)
    /// A rider; the sensor sits on the crank arm.
    case crankRider(RidePlan, BikeMount)
    /// A walker, and where the sensor is worn: `wrist`, `hip` or `pocket`; anything else counts as `hip`.
    case walker(WalkPlan, SimulatedPlacement)

    /// What the sensor is on.
    public var kind: SimulatedKind {
        switch self {
        case .frameRider, .crankRider: .bike
        case .walker: .wearable
        }
    }

    /// Where the sensor sits.
    public var placement: SimulatedPlacement {
        switch self {
        case .frameRider: .frame
        case .crankRider: .crank
        case .walker(_, let placement): placement == .frame || placement == .crank ? .hip : placement
        }
    }
}

/// The physics of an actor, stepped at `PhysicsStep`.
enum ActorPhysics: Sendable {
    case frame(FrameRide)
    case crank(CrankRide)
    case walk(Walk)
    /// Lent to a frame that is being made.
    case lent

    init(_ actor: SimulatedActor, random: inout RandomSource) {
        switch actor {
        case .frameRider(let plan, let mount): self = .frame(FrameRide(plan: plan, mount: mount, random: &random))
        case .crankRider(let plan, let mount): self = .crank(CrankRide(plan: plan, mount: mount, random: &random))
        case .walker(let plan, _):
            self = .walk(Walk(plan: plan, placement: actor.placement, random: &random))
        }
    }
}
