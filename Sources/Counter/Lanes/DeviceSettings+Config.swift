import Motion
import Wire

extension DeviceSettings {
    /// What the operator's words mean for counting. A stride is two steps.
    init(_ config: DeviceConfig) {
        motion = MotionConfiguration(
            kind: Motion.DeviceKind(config.kind), placement: Placement(word: config.placement),
            estimator: Self.estimator(config))
        stepLength = Self.stepLength(config)
        micrometresPerRevolution = Self.micrometres(config.metresPerRevolution)
    }

    private static func estimator(_ config: DeviceConfig) -> Estimator {
        guard config.estimator == .prototype, let prototype = config.prototype else { return .periodic }
        let sensors: [String: PrototypeEstimator.Sensor] = [
            "acc": .acceleration, "gyro": .angularVelocity, "mag": .magneticField,
        ]
        let axes: [String: PrototypeEstimator.Axis] = ["x": .x, "y": .y, "z": .z]
        guard let sensor = sensors[prototype.sensor], let axis = axes[prototype.axis], prototype.q.isFinite,
            let settings = try? PrototypeEstimator.Settings(
                sensor: sensor, axis: axis, factor: Float(prototype.f), levels: Int(min(max(prototype.q, 0), 1000)))
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
    fileprivate init(word: String) {
        self = Self.allCases.first { "\($0)" == word } ?? .unknown
    }
}
