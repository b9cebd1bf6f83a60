package import Motion
package import Wire

// `Motion` imports nothing of ours, so it has kinds, sensors, placements and activities of its own. Here alone they are
// made of those of `Wire`, and the other way round.

extension PlacementGroup {
    /// The group that a placement of a config belongs to.
    package init(_ placement: SensorPlacement) {
        self =
            switch placement {
            case .wrist: .wrist
            case .hand, .bag, .hip, .back: .carried
            case .pocket, .thigh: .pocket
            case .ankle, .foot: .leg
            case .frame: .frame
            case .crank: .crank
            case .unknown: .unknown
            }
    }
}

extension Motion.SensorSet {
    /// The sensors that tell movement.
    package init(_ sensors: Wire.SensorSet) {
        self = Self(rawValue: sensors.rawValue).intersection([.acceleration, .angularVelocity, .magneticField])
    }
}

extension ActivityKind {
    /// The activity of the same number.
    init(_ activity: Activity) { self = ActivityKind(rawValue: activity.rawValue) ?? .unknown }
}

extension CaseIterable {
    /// The case that has the name of a case of another enum.
    init?(named other: some CaseIterable) {
        guard let same = Self.allCases.first(where: { "\($0)" == "\(other)" }) else { return nil }
        self = same
    }
}
