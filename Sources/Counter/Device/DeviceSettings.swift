import Motion
import Wire

/// The part of a device's config that counting needs.
struct DeviceSettings: Sendable, Equatable {
    var motion = MotionConfiguration()
    var stepLength = StepLength.unknown
    /// The distance of a crank revolution, in micrometres; 0 where the config has none.
    var micrometresPerRevolution: Int64 = 0
}

extension DeviceSettings {
    /// A stride is two steps.
    init(_ config: DeviceConfig) {
        motion = MotionConfiguration(
            kind: .init(named: config.kind) ?? .unknown, placement: .init(named: config.placement) ?? .unknown,
            estimator: Self.estimator(config))
        stepLength = Self.stepLength(config)
        micrometresPerRevolution = Self.micrometres(config.metresPerRevolution)
    }

    private static func estimator(_ config: DeviceConfig) -> Estimator {
        if config.estimator == .fitted { return .fitted }
        guard config.estimator == .prototype, let prototype = config.prototype else { return .periodic }
        guard prototype.q.isFinite,
            let settings = try? PrototypeEstimator.Settings(
                sensor: .init(named: prototype.sensor) ?? .acceleration, axis: .init(named: prototype.axis) ?? .x,
                factor: Float(prototype.f), levels: Int(min(max(prototype.q, 0), 1000)))
        else { return .periodic }
        return .prototype(settings)
    }

    /// A measured length is believed before one that follows from the height.
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

extension CaseIterable {
    /// The case that has the name of a case of another enum. `Motion` imports nothing of ours, so it has its own enums
    /// of kinds, placements and confidences; a test compares their names with those of `Wire`.
    init?(named other: some CaseIterable) {
        guard let same = Self.allCases.first(where: { "\($0)" == "\(other)" }) else { return nil }
        self = same
    }
}
