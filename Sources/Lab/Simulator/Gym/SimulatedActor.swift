package import Wire

/// The person or crank that moves the sensor, and the sensor's placement.
package enum SimulatedActor: Sendable, Hashable {
    /// A rider; the sensor is on the frame.
    case frameRider(RidePlan, BikeMount)
    /// A rider; the sensor is on the crank arm.
    case crankRider(RidePlan, BikeMount)
    /// A rider, and where the sensor is worn: `wrist`, `pocket` or `thigh`; anything else counts as `ankle`.
    case wearingRider(RidePlan, SimulatedPlacement)
    /// A walker, and where the sensor is worn; `frame` and `crank` count as `hip`.
    case walker(WalkPlan, SimulatedPlacement)
    /// Someone who works with the hand on whose wrist the sensor is worn.
    case worker(HandWork)
    /// A passenger in a vehicle, with the placement of the sensor; `frame` and `crank` count as `hip`.
    case passenger(SimulatedPlacement)

    /// The kind of device.
    package var kind: DeviceKind {
        switch self {
        case .frameRider, .crankRider: .bike
        case .wearingRider, .walker, .worker, .passenger: .wearable
        }
    }

    /// The placement of the sensor.
    package var placement: SimulatedPlacement {
        switch self {
        case .frameRider: .frame
        case .crankRider: .crank
        case .wearingRider(_, let placement): [.thigh, .wrist, .pocket].contains(placement) ? placement : .ankle
        case .walker(_, let placement), .passenger(let placement):
            [.frame, .crank].contains(placement) ? .hip : placement
        case .worker: .wrist
        }
    }

    /// The config of a device that this actor carries: its kind and placement.
    package var configuration: DeviceConfig {
        var configuration = DeviceConfig()
        configuration.kind = kind
        configuration.placement = placement.sensor
        return configuration
    }

    /// The moving body, as chance makes it.
    func body(_ random: inout RandomSource) -> any SimulatedBody {
        switch self {
        case .frameRider(let plan, let mount): FrameRide(plan: plan, mount: mount, random: &random)
        case .crankRider(let plan, let mount): CrankRide(plan: plan, mount: mount, random: &random)
        case .wearingRider(let plan, .wrist): WristRide(plan: plan, random: &random)
        case .wearingRider(let plan, _): LegRide(plan: plan, placement: placement, random: &random)
        case .walker(let plan, _): Walk(plan: plan, placement: placement, random: &random)
        case .worker(let work): WorkingHand(work: work, random: &random)
        case .passenger: Passenger(placement: placement, random: &random)
        }
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
