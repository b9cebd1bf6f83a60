/// What a device is: a bike makes revolutions, a wearable steps.
public enum DeviceKind: UInt8, Sendable, CaseIterable {
    /// Not told: the signal decides.
    case unknown
    /// A sensor on a bicycle.
    case bike
    /// A sensor on a person.
    case wearable
}

/// The placement of the sensor, as far as it matters for counting.
public enum PlacementGroup: UInt8, Sendable, CaseIterable {
    /// Not told.
    case unknown
    /// On the wrist.
    case wrist
    /// In the hand or in a bag, on the hip or the back.
    case carried
    /// In a pocket or on the thigh.
    case pocket
    /// On the ankle, the shin or the foot.
    case leg
    /// On a bike's frame or reading holder.
    case frame
    /// On a bike's crank or pedal.
    case crank

    /// Placements on a person, in the order of the model's weights.
    static let worn: [PlacementGroup] = [.unknown, .wrist, .carried, .pocket, .leg]

    /// The index of its weights: its place among ``worn``.
    var weights: Int {
        switch self {
        case .unknown, .frame, .crank: 0
        case .wrist: 1
        case .carried: 2
        case .pocket: 3
        case .leg: 4
        }
    }
}

/// The method of counting.
public enum Estimator: Sendable, Equatable {
    /// By the period of the whole signal, in any mounting and without tuning; on a person by the fitted model.
    case periodic
    /// By peaks of one axis in a window, tuned by hand.
    case prototype(PrototypeEstimator.Settings)
}

/// The description of a device.
public struct MotionConfiguration: Sendable, Equatable {
    /// Bike or wearable.
    public var kind: DeviceKind
    /// The placement of the sensor.
    public var placement: PlacementGroup
    /// The method of counting.
    public var estimator: Estimator

    /// Whether it is on a bike: by kind or, without one, by placement.
    var isBike: Bool {
        kind == .bike || kind == .unknown && (placement == .frame || placement == .crank)
    }

    /// What counts the device.
    var counting: Counting {
        if estimator != .periodic { return .rule }
        return isBike ? .bike : kind == .unknown && placement == .unknown ? .deciding : .person
    }

    /// A configuration; by default nothing is told.
    public init(kind: DeviceKind = .unknown, placement: PlacementGroup = .unknown, estimator: Estimator = .periodic) {
        self.kind = kind
        self.placement = placement
        self.estimator = estimator
    }
}

/// What counts a device.
enum Counting {
    /// The fitted model, which knows steps and pedals.
    case person
    /// The period of a bike.
    case bike
    /// One of the two: the signal decides, and may decide anew.
    case deciding
    /// The prototype's rule.
    case rule
}
