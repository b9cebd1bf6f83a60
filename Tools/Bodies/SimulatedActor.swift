package import Lab
package import Wire

/// The person or crank that moves the sensor, and the sensor's placement.
package struct SimulatedActor: Sendable {
    /// The kind of device.
    package let kind: DeviceKind
    /// The placement of the sensor.
    package let placement: SimulatedPlacement
    /// The moving body, as chance makes it.
    let body: @Sendable (inout RandomSource) -> any SimulatedBody

    package init(
        _ kind: DeviceKind, _ placement: SimulatedPlacement,
        body: @escaping @Sendable (inout RandomSource) -> any SimulatedBody
    ) {
        (self.kind, self.placement, self.body) = (kind, placement, body)
    }

    /// A rider; the sensor is on the frame.
    package static func frameRider(_ plan: RidePlan, _ mount: BikeMount) -> SimulatedActor {
        SimulatedActor(.bike, .frame) { FrameRide(plan: plan, mount: mount, random: &$0) }
    }

    /// A rider of a bike that is drawn at random; the sensor is on the frame.
    package static func frameRider(
        _ plan: RidePlan, _ mount: @escaping @Sendable (inout RandomSource) -> BikeMount
    ) -> SimulatedActor {
        SimulatedActor(.bike, .frame) { FrameRide(plan: plan, mount: mount(&$0), random: &$0) }
    }

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

    /// The config of a device that this actor carries: its kind and placement.
    package var configuration: DeviceConfig {
        var configuration = DeviceConfig()
        configuration.kind = kind
        configuration.placement = placement.sensor
        return configuration
    }
}

/// A stretch of a ride or of a walk.
package struct ActivitySegment<Activity: Sendable & Hashable>: Sendable, Hashable {
    /// What is done in it.
    package var activity: Activity
    /// For how long, in seconds; a step that has begun is finished first.
    package var seconds: Double

    package init(_ activity: Activity, seconds: Double) {
        self.activity = activity
        self.seconds = seconds
    }
}

package typealias RideSegment = ActivitySegment<RideActivity>
package typealias WalkSegment = ActivitySegment<WalkActivity>

/// The placement of a simulated sensor; the raw value is the word of a device's config.
package enum SimulatedPlacement: String, Sendable, Hashable, CaseIterable {
    /// In a holder on a bike's frame.
    case frame
    /// On a bike's crank arm.
    case crank
    /// On a walker's or a rider's wrist.
    case wrist
    /// In the hand of a walker who reads on it.
    case hand
    /// In a walker's bag, on the back or hanging from a shoulder.
    case bag
    /// On a walker's belt.
    case hip
    /// In a walker's or a rider's trouser pocket.
    case pocket
    /// On a walker's or a rider's thigh.
    case thigh
    /// On a walker's or a rider's leg above the ankle.
    case ankle

    /// The same in a device's config.
    package var sensor: SensorPlacement { SensorPlacement(rawValue: rawValue) ?? .unknown }
}
