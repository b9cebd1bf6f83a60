/// What makes a simulated ride hard to count.
package enum RideConditions: Sendable, Hashable {
    /// The sensor is on the bike's frame, and this is how the frame answers the pedals.
    ///
    /// - Parameters:
    ///   - secondToFirstRatio: amplitude at twice the crank's rate over the amplitude at the crank's rate: both legs push.
    ///   - signalToNoise: root mean square of the pedalling signal over that of everything without a period.
    case frame(secondToFirstRatio: Double, signalToNoise: Double)
    /// The rider wears the sensor, and pedals at about a cadence in revolutions a minute.
    case worn(SimulatedPlacement, rpm: Double)

    /// On the frame, from easy to hopeless.
    package static let frames = [3, 1, 0.5].flatMap { noise in
        [1, 2.5, 5, 10].map { RideConditions.frame(secondToFirstRatio: $0, signalToNoise: noise) }
    }

    /// Where a rider may wear a sensor.
    package static let wornPlacements: [SimulatedPlacement] = [.wrist, .pocket, .thigh, .ankle]

    /// Worn, from slow to fast.
    package static func worn(on placement: SimulatedPlacement) -> [RideConditions] {
        [20, 26, 32, 40, 50, 60, 75, 90, 110, 130, 155, 180].map { RideConditions.worn(placement, rpm: $0) }
    }

    /// By how much the cadence of a rider wanders who keeps to one, in rpm.
    private static let keptWanderRPM = 1.5

    /// Who rides under these conditions: on the frame a spinning class, with a worn sensor somebody who keeps to a
    /// cadence, and after a rest in the middle to nine tenths of it.
    func actor(seconds: Int) -> SimulatedActor {
        switch self {
        case .frame(let ratio, let noise):
            return .frameRider(RidePlan(), BikeMount(secondToFirstRatio: ratio, signalToNoise: noise))
        case .worn(let placement, let rpm):
            let script = [
                RideSegment(.rest, seconds: 10), RideSegment(.pedal(rpm: rpm), seconds: Double(seconds) / 2),
                RideSegment(.rest, seconds: 20), RideSegment(.pedal(rpm: rpm * 0.9), seconds: Double(seconds) / 2 - 45),
                RideSegment(.rest, seconds: 1000),
            ]
            return .wearingRider(RidePlan(script: script, wanderRPM: Self.keptWanderRPM), placement)
        }
    }

    /// The headings of `cells`.
    var headings: [String] {
        switch self {
        case .frame: ["signal/noise", "2x/1x"]
        case .worn: ["worn", "rpm"]
        }
    }

    /// The conditions as the first cells of a line.
    var cells: [String] {
        switch self {
        case .frame(let ratio, let noise):
            [EvaluationReport.text(noise, decimals: 1), EvaluationReport.text(ratio, decimals: 1)]
        case .worn(let placement, let rpm): [placement.rawValue, EvaluationReport.text(rpm, decimals: 0)]
        }
    }
}
