/// What a device is: a bike makes revolutions, a wearable steps.
public enum DeviceKind: UInt8, Sendable, CaseIterable {
    /// Decided by what the signal looks like, never both at once.
    case unknown
    /// A sensor on a bicycle.
    case bike
    /// A sensor on a person.
    case wearable
}

/// Where the sensor sits.
public enum Placement: UInt8, Sendable, CaseIterable {
    /// Not told.
    case unknown
    /// On the wrist.
    case wrist
    /// Held in the hand.
    case hand
    /// In a trouser or jacket pocket.
    case pocket
    /// In a bag or purse.
    case bag
    /// On the hip or belt.
    case hip
    /// On the lower back.
    case back
    /// On the thigh.
    case thigh
    /// On the ankle or shin.
    case ankle
    /// On the foot or shoe.
    case foot
    /// On a bike's frame or reading holder.
    case frame
    /// On a bike's crank or pedal.
    case crank

    var isLeg: Bool { self == .thigh || self == .ankle || self == .foot }
}

/// How cadence is found.
public enum Estimator: Sendable, Equatable {
    /// From the period of the whole signal: any mounting, no tuning.
    case periodic
    /// On a person from a model fitted to recordings and simulations; on a bike from the period.
    case fitted
    /// From peaks of one tuned axis in a window.
    case prototype(PrototypeEstimator.Settings)
}

/// What is known about a device before it moves.
public struct MotionConfiguration: Sendable, Equatable {
    /// What the device is.
    public var kind: DeviceKind
    /// Where it sits.
    public var placement: Placement
    /// How cadence is found.
    public var estimator: Estimator

    /// On a bike by kind, or, where the kind is not told, by placement.
    var isBike: Bool {
        kind == .bike || kind == .unknown && (placement == .frame || placement == .crank)
    }

    /// Whether nothing was told, so that the signal decides.
    var isUndescribed: Bool { kind == .unknown && placement == .unknown && estimator == .periodic }

    /// Whether the fitted model counts.
    var isFitted: Bool { estimator == .fitted && !isBike }

    /// A configuration; by default nothing is known and the period is used.
    public init(kind: DeviceKind = .unknown, placement: Placement = .unknown, estimator: Estimator = .periodic) {
        self.kind = kind
        self.placement = placement
        self.estimator = estimator
    }
}
