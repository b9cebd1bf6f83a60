/// What makes a simulated ride hard to count.
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

    /// Where the sensor of a ride may be.
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

    /// Who rides under these conditions: on the frame a spinning class, with a worn sensor a rider who keeps to a
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
