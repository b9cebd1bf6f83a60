/// What a device is: a bike makes revolutions, a wearable steps.
public enum DeviceKind: UInt8, Sendable, CaseIterable {
    /// Decided by what the signal looks like, never both at once.
    case unknown
    /// A sensor on a bicycle.
    case bike
    /// A sensor on a person.
    case wearable
}

/// Where the sensor sits, as far as that changes how it is counted.
public enum PlacementGroup: UInt8, Sendable, CaseIterable {
    /// Not told.
    case unknown
    /// On the wrist.
    case wrist
    /// In the hand or in a bag, on the hip or the back: what is moved by the trunk.
    case carried
    /// In a pocket or on the thigh.
    case pocket
    /// On the ankle, the shin or the foot.
    case leg
    /// On a bike's frame or reading holder.
    case frame
    /// On a bike's crank or pedal.
    case crank

    /// Those on a person, of each of which the model has weights.
    static let worn: [PlacementGroup] = [.unknown, .wrist, .carried, .pocket, .leg]

    /// The place of its weights among those.
    var weights: Int { Self.worn.firstIndex(of: self) ?? 0 }
}

/// How cadence is found.
public enum Estimator: Sendable, Equatable {
    /// From the period of the whole signal: any mounting, no tuning. On a person a model says what moves that was fitted
    /// to recordings and simulations.
    case periodic
    /// From peaks of one tuned axis in a window.
    case prototype(PrototypeEstimator.Settings)
}

/// What is known about a device before it moves.
public struct MotionConfiguration: Sendable, Equatable {
    /// What the device is.
    public var kind: DeviceKind
    /// Where it sits.
    public var placement: PlacementGroup
    /// How cadence is found.
    public var estimator: Estimator

    /// On a bike by kind, or, where the kind is not told, by placement.
    var isBike: Bool {
        kind == .bike || kind == .unknown && (placement == .frame || placement == .crank)
    }

    /// Whether nothing was told, so that the signal decides.
    var isUndescribed: Bool { kind == .unknown && placement == .unknown && estimator == .periodic }

    /// A configuration; by default nothing is known and the period is used.
    public init(kind: DeviceKind = .unknown, placement: PlacementGroup = .unknown, estimator: Estimator = .periodic) {
        self.kind = kind
        self.placement = placement
        self.estimator = estimator
    }
}
