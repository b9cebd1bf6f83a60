import Motion
import Wire

/// What counting needs to know of a device's configuration.
struct DeviceSettings: Sendable, Equatable {
    /// What the signal is.
    var motion = MotionConfiguration()
    /// How long a step is.
    var stepLength = StepLength.unknown
    /// What a crank revolution is worth, in micrometres; 0 where nobody told it.
    var micrometresPerRevolution: Int64 = 0
}

extension DeviceSettings {
    /// What the operator's words mean for counting. A stride is two steps.
    init(_ config: DeviceConfig) {
        motion = MotionConfiguration(
            kind: Motion.DeviceKind(config.kind), placement: Placement(config.placement),
            estimator: Self.estimator(config))
        stepLength = Self.stepLength(config)
        micrometresPerRevolution = Self.micrometres(config.metresPerRevolution)
    }

    private static func estimator(_ config: DeviceConfig) -> Estimator {
        if config.estimator == .fitted { return .fitted }
        guard config.estimator == .prototype, let prototype = config.prototype else { return .periodic }
        guard prototype.q.isFinite,
            let settings = try? PrototypeEstimator.Settings(
                sensor: PrototypeEstimator.Sensor(prototype.sensor), axis: PrototypeEstimator.Axis(prototype.axis),
                factor: Float(prototype.f), levels: Int(min(max(prototype.q, 0), 1000)))
        else { return .periodic }
        return .prototype(settings)
    }

    /// What was measured is believed before what follows from the height.
    private static func stepLength(_ config: DeviceConfig) -> StepLength {
        let measured = micrometres(config.metresPerStride.map { $0 / 2 })
        if measured > 0 { return .measured(micrometres: measured) }
        guard let height = config.heightMetres, height.isFinite, height > 0 else { return .unknown }
        return .ofHeight(metres: height)
    }

    private static func micrometres(_ metres: Double?) -> Int64 {
        guard let metres, metres.isFinite, metres > 0, metres < 1000 else { return 0 }
        return Int64((metres * 1_000_000).rounded())
    }
}

extension Motion.DeviceKind {
    fileprivate init(_ kind: Wire.DeviceKind) {
        self =
            switch kind {
            case .bike: .bike
            case .wearable: .wearable
            case .unknown: .unknown
            }
    }
}

extension Placement {
    fileprivate init(_ placement: SensorPlacement) {
        self =
            switch placement {
            case .wrist: .wrist
            case .hand: .hand
            case .pocket: .pocket
            case .bag: .bag
            case .hip: .hip
            case .back: .back
            case .thigh: .thigh
            case .ankle: .ankle
            case .foot: .foot
            case .frame: .frame
            case .crank: .crank
            case .unknown: .unknown
            }
    }
}

extension PrototypeEstimator.Sensor {
    fileprivate init(_ sensor: PrototypeConfig.Sensor) {
        self =
            switch sensor {
            case .acceleration: .acceleration
            case .angularVelocity: .angularVelocity
            case .magneticField: .magneticField
            }
    }
}

extension PrototypeEstimator.Axis {
    fileprivate init(_ axis: PrototypeConfig.Axis) {
        self =
            switch axis {
            case .x: .x
            case .y: .y
            case .z: .z
            }
    }
}
